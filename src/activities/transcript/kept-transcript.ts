import { type BlobStore } from '../../blobs/blob-store.ts';
import { loadValue } from '../../blobs/stored-value.ts';
import type { Ending } from '../../core/activity-shapes.ts';
import type { SegmentReference } from '../../core/segment.ts';
import type { ConversationRecord } from './conversation-record.ts';
import { recordedEntryOf } from './recorded-entry.ts';
import { createSegmentLoader } from './segment-loader.ts';

/**
 * The manifest of a conversation that has ended: with the segments that it names, all that is left
 * when the server has let the conversation go.
 */
export interface KeptTranscript extends Omit<ConversationRecord, 'entries' | 'hasFirstEntry'> {
  /** Of this form. */
  readonly version: 1;
  /** ISO 8601. */
  readonly endedAt: string;
  readonly ending: Ending;
  /** The newest; absent: nothing was ever said. */
  readonly segment?: SegmentReference;
}

/** What is kept of a conversation that the server does not know (any more). */
export interface KeptConversation {
  readonly record: ConversationRecord;
  readonly ending: Ending;
  readonly endedAt: string;
}

/**
 * Reads a conversation from the blob store alone; undefined when the store has no manifest of it.
 * @throws {BlobMissing} when the manifest, or a segment that it names, is gone
 */
export async function readKeptConversation(
  blobs: BlobStore,
  workflowId: string,
): Promise<KeptConversation | undefined> {
  const manifest = await blobs.manifest(workflowId);
  if (manifest === undefined) return undefined;
  const reference = { blob: manifest, size: 0, preview: '' };
  const kept = await loadValue<KeptTranscript>(blobs, workflowId, reference);
  const { version: _, segment, ending, endedAt, ...rest } = kept;
  const segments = createSegmentLoader(blobs, workflowId);
  const lines =
    segment === undefined ? undefined : await segments.transcript(segment, NOTHING_KNOWN, 0);
  const [missing] = segments.missing.values();
  if (missing !== undefined) throw missing;
  const entries = (lines?.added ?? []).map((line, n) => recordedEntryOf(n, line, undefined));
  return { record: { ...rest, entries, hasFirstEntry: true }, ending, endedAt };
}

const NOTHING_KNOWN = { digestAt: (count: number) => (count === 0 ? null : undefined) };
