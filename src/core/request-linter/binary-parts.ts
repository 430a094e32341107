import { withoutPadding } from '../base64-padding.ts';
import type { Part } from '../content.ts';
import { imageFacts } from './image-facts.ts';
import { leftOut, mapParts } from './map-parts.ts';
import type { LintLimits, MessageRule } from './rule.ts';

const SENDABLE_IMAGE = /^image\/(png|jpe?g|gif|webp)$/;

/**
 * Images and documents have bytes, in base64, of the kind that their media type says, and not too
 * many of them. A wrong media type is corrected; what cannot be sent is replaced by words.
 */
export const binaryParts: MessageRule = (messages, { limits, report }) =>
  mapParts(messages, (part, at) => {
    if (part.type === 'text') return part;
    const mended = mendedPart(part, limits);
    if (mended === part) return part;
    report(at(), mended.type === 'text' ? mended.text : 'its media type or base64 was corrected');
    return mended;
  });

type BinaryPart = Exclude<Part, { readonly type: 'text' }>;

function mendedPart(part: BinaryPart, limits: LintLimits): Part {
  if (part.data === undefined) return leftOut(part, `blob ${part.blob} was not loaded`);
  const data = cleanBase64(part.data);
  if (data === undefined) return leftOut(part, 'its bytes are not in base64');
  if (data === '') return leftOut(part, 'it has no bytes');
  if (part.type === 'document') return data === part.data ? part : { ...part, data };
  if (data.length > limits.imageCharacters) {
    return leftOut(
      part,
      `it is too large (${data.length} characters of base64, at most ${limits.imageCharacters})`,
    );
  }
  const facts = imageFacts(data);
  if (facts === undefined && SENDABLE_IMAGE.test(part.mediaType)) {
    return leftOut(part, 'its bytes are not those of such an image');
  }
  const mediaType = facts?.mediaType ?? part.mediaType;
  if (data === part.data && mediaType === part.mediaType) return part;
  return { ...part, data, mediaType };
}

/** Standard, padded base64; `undefined` when it is none after all. */
function cleanBase64(text: string): string | undefined {
  if (isBase64(text)) return text;
  const bare = withoutPadding(
    text
      .replace(/^data:[^,]{0,200},/, '')
      .replace(/\s+/g, '')
      .replace(/-/g, '+')
      .replace(/_/g, '/'),
  );
  const padded = bare + '='.repeat((4 - (bare.length % 4)) % 4);
  return isBase64(padded) ? padded : undefined;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
