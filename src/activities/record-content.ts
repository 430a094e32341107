import { createHash } from 'node:crypto';
import type { BlobStore } from '../blobs/blob-store.ts';
import { putValue } from '../blobs/stored-value.ts';
import type { CallOutput } from '../core/activity-shapes.ts';
import { textOf, type Content, type Part } from '../core/content.ts';
import { describeError } from '../core/describe-error.ts';
import type { ShownResult } from '../core/shown-result.ts';
import type { BlobReference } from '../core/stored.ts';
import { jsonBytes, withoutStore } from '../core/without-store.ts';
import { createPatientPut, type PatientPut } from './put-patiently.ts';
import type { Original } from './settle-return.ts';

export type RecordedContent = Pick<CallOutput, 'content' | 'shownAs' | 'original'>;

export interface RecordSettings {
  readonly blobs: BlobStore;
  readonly conversationId: string;
  readonly inlineLimitBytes: number;
  readonly original: Original | undefined;
  readonly log: { warn(message: string, fields?: Record<string, unknown>): void };
  readonly patienceMs?: number;
}

/**
 * A result's content as history records it: itself, or references into the blob store. What was
 * cut or changed is kept whole as `original`. When the store stays broken, the content is what fits
 * history, with a line that says what was lost.
 */
export async function recordContent(
  shown: ShownResult,
  settings: RecordSettings,
): Promise<RecordedContent> {
  const patiently = createPatientPut((error) => {
    settings.log.warn('a result could not be put into the blob store', {
      error: describeError(error),
    });
  }, settings.patienceMs);
  const content = await storeBinaries(shown.content, settings, patiently);
  const shownAs =
    shown.shownAs === undefined
      ? undefined
      : await storeBinaries(shown.shownAs, settings, patiently);

  const kept = await keepContent(content, shown.cut, settings, patiently);
  const keptShown = shownAs === undefined ? undefined : await keep(shownAs, settings, patiently);
  if (kept === undefined || (shownAs !== undefined && keptShown === undefined)) {
    return { content: withoutStore(shownAs ?? content, settings.inlineLimitBytes) };
  }
  const original =
    settings.original === undefined
      ? kept.cutReference
      : await keepOriginal(settings.original, settings, patiently);
  return {
    content: kept.content,
    ...(keptShown === undefined ? {} : { shownAs: keptShown }),
    ...(original === undefined ? {} : { original }),
  };
}

/** Content of which the model is shown a part always goes to the store: nothing else has the rest. */
async function keepContent(
  content: Content,
  cut: boolean,
  settings: RecordSettings,
  patiently: PatientPut,
): Promise<
  { readonly content: CallOutput['content']; readonly cutReference?: BlobReference } | undefined
> {
  if (!cut) {
    const stored = await keep(content, settings, patiently);
    return stored === undefined ? undefined : { content: stored };
  }
  const reference = await patiently(() =>
    putValue(settings.blobs, settings.conversationId, content, textOf(content)),
  );
  return reference === undefined ? undefined : { content: reference, cutReference: reference };
}

/** Inline content needs no store, also when patience with the store is used up. */
async function keep(
  content: Content,
  { blobs, conversationId, inlineLimitBytes }: RecordSettings,
  patiently: PatientPut,
): Promise<CallOutput['content'] | undefined> {
  if (jsonBytes(content) <= inlineLimitBytes) return content;
  return patiently(() => putValue(blobs, conversationId, content, textOf(content)));
}

async function keepOriginal(
  original: Original,
  { blobs, conversationId }: RecordSettings,
  patiently: PatientPut,
): Promise<BlobReference | undefined> {
  return patiently(async () => {
    if ('value' in original) return putValue(blobs, conversationId, original.value);
    const blob = await blobs.put(conversationId, original.bytes);
    return { blob, size: original.bytes.length, preview: `${original.bytes.length} bytes` };
  });
}

/** Images and documents of content that is too large for history become blobs of their own bytes. */
async function storeBinaries(
  content: Content,
  settings: RecordSettings,
  patiently: PatientPut,
): Promise<Content> {
  if (typeof content === 'string') return content;
  if (jsonBytes(content) <= settings.inlineLimitBytes) return content;
  const parts: Part[] = [];
  for (const part of content) {
    if (part.type === 'text' || part.data === undefined) {
      parts.push(part);
      continue;
    }
    const { data, ...rest } = part;
    const bytes = Buffer.from(data, 'base64');
    const blob = await patiently(() => settings.blobs.put(settings.conversationId, bytes));
    parts.push(blob === undefined ? lostPart(part, bytes) : { ...rest, blob });
  }
  return parts;
}

function lostPart(part: Exclude<Part, { type: 'text' }>, bytes: Uint8Array): Part {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = `[The ${part.type} (${part.mediaType}, ${bytes.length} bytes, SHA-256 ${sha256}) was lost: the blob store did not take it.]`;
  return { type: 'text', text };
}
