import { type BlobStore } from '../../blobs/blob-store.ts';
import { loadValue } from '../../blobs/stored-value.ts';
import type { Ending } from '../../core/activity-shapes.ts';
import type { SegmentReference } from '../../core/segment.ts';
import type { ConversationRecord, RecordedEntry } from './conversation-record.ts';
import { type EntryPlace, recordedEntryOf } from './recorded-entry.ts';
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
  /** Where and when history had each entry, and its words, by the entry's digest. */
  readonly places: { readonly [digest: string]: EntryPlace };
  /** The newest; absent: nothing was ever said. */
  readonly segment?: SegmentReference;
}

/** What is kept of a conversation that the server does not know (any more). */
export interface KeptConversation {
  readonly record: ConversationRecord;
  readonly ending: Ending;
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
  const { version: _, segment, places, ending, endedAt, ...rest } = kept;
  const segments = createSegmentLoader(blobs, workflowId);
  const lines =
    segment === undefined ? undefined : await segments.transcript(segment, NOTHING_KNOWN, 0);
  const [missing] = segments.missing.values();
  if (missing !== undefined) throw missing;
  const entries = (lines?.added ?? []).map((line, n) =>
    recordedEntryOf(n, line, places[line.digest]),
  );
  const record = { ...rest, keptAt: endedAt, entries, hasFirstEntry: true };
  return { record, ending };
}

const NOTHING_KNOWN = { digestAt: (count: number) => (count === 0 ? null : undefined) };

/** Of a record's entries, as far as history had them. */
export function placesOf(entries: readonly RecordedEntry[]): KeptTranscript['places'] {
  const places: Record<string, EntryPlace> = {};
  for (const { header, digest, at, text } of entries) {
    if (header.at === undefined || at === undefined) continue;
    places[digest] = { place: header.at, at, ...(text === undefined ? {} : { text }) };
  }
  return places;
}
