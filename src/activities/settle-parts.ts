import { isDeepStrictEqual } from 'node:util';
import { cleanText } from '../core/clean-text.ts';
import { partSchema, type Content, type Part } from '../core/content.ts';
import type { Json } from '../core/json.ts';
import { binaryPart, MAX_BINARY_BYTES, sniffMediaType } from './settle-binary.ts';

/** Images and documents of one result that are passed on; APIs refuse requests with too many. */
const MAX_BINARY_PARTS = 20;

export type CheckedParts =
  | {
      readonly content: Content;
      /** Whether the content says less than what was given, or something else. */
      readonly changed: boolean;
      /** What was given, as JSON. */
      readonly given: Json;
    }
  | { readonly problem: string };

/**
 * The content parts that a tool gave, as model APIs take them: text clean, the media type that the
 * bytes have. A part that cannot be passed on becomes a line of text; what is no part is a problem.
 */
export function checkedParts(content: unknown): CheckedParts {
  if (typeof content === 'string') {
    const text = cleanText(content);
    return { content: text, changed: text !== content, given: content };
  }
  if (!Array.isArray(content))
    return { problem: 'its content is neither text nor a list of parts' };
  const given: Part[] = [];
  const parts: Part[] = [];
  let binaries = 0;
  for (const [index, candidate] of content.entries()) {
    const parsed = partSchema().safeParse(withBase64(candidate));
    if (!parsed.success) {
      const reason = parsed.error.issues[0]?.message ?? 'it has another shape';
      return { problem: `part ${index} of its content is no part: ${reason}` };
    }
    const part = parsed.data as Part;
    given.push(part);
    if (part.type === 'text') parts.push({ ...part, text: cleanText(part.text) });
    else if (part.data === undefined) parts.push(part);
    else if (++binaries > MAX_BINARY_PARTS) parts.push(leftOut(part, 'there are too many'));
    else parts.push(checkedBinary(part));
  }
  const changed = parts.some((part, index) => !isDeepStrictEqual(part, given[index]));
  return { content: parts, changed, given: given as Json };
}

/** Bytes in place of base64 are what tools have at hand. */
function withBase64(candidate: unknown): unknown {
  if (typeof candidate !== 'object' || candidate === null || !('data' in candidate))
    return candidate;
  return candidate.data instanceof Uint8Array
    ? { ...candidate, data: Buffer.from(candidate.data).toString('base64') }
    : candidate;
}

function checkedBinary(part: Exclude<Part, { type: 'text' }>): Part {
  const bytes = Buffer.from(part.data ?? '', 'base64');
  if (bytes.length > MAX_BINARY_BYTES) return leftOut(part, `it has ${bytes.length} bytes`);
  const mediaType = sniffMediaType(bytes);
  const name = part.name === undefined ? {} : { name: part.name };
  if (mediaType !== undefined) return { ...binaryPart(mediaType, bytes), ...name };
  if (part.type === 'document' && part.mediaType.startsWith('text/')) {
    return { type: 'text', text: cleanText(bytes.toString('utf8')) };
  }
  return leftOut(part, 'its bytes are of no type that models take');
}

function leftOut(part: Exclude<Part, { type: 'text' }>, why: string): Part {
  const name = part.name === undefined ? '' : ` "${part.name}"`;
  return {
    type: 'text',
    text: `[The ${part.type}${name} (${part.mediaType}) is left out: ${why}.]`,
  };
}
