import { activityInfo } from '@temporalio/activity';
import { putValue } from '../blobs/stored-value.ts';
import type { SegmentInput, SegmentOutput } from '../core/activity-shapes.ts';
import type { ResultEntry } from '../core/entry.ts';
import type { Segment } from '../core/segment.ts';
import type { ActivityEnvironment } from './environment.ts';
import { runLocation } from './run-location.ts';
import { storeFailure } from './store-failure.ts';
import { chainDigest } from './transcript/digest.ts';
import { demandStore } from './transcript/foreign-blob-store.ts';
import { TranscriptMismatch } from './transcript/transcript-mismatch.ts';
import type { Transcript } from './transcript/transcript-reader.ts';

/**
 * `perdure.segment`: writes the run's entries into the blob store before the run is continued by
 * another. A second attempt writes the same blob.
 */
export function createSegmentActivity({
  blobs,
  transcripts,
}: Pick<ActivityEnvironment, 'blobs' | 'transcripts'>): (
  input: SegmentInput,
) => Promise<SegmentOutput> {
  return async (input) => {
    const location = runLocation(activityInfo());
    try {
      await demandStore(blobs, location.workflowId, input.store);
      const transcript = await transcripts.read(location, {
        position: input.position,
        items: [...input.items, ...input.loose],
        ...(input.previous === null ? {} : { segment: input.previous }),
        ...(input.shownFrom === undefined ? {} : { shownFrom: input.shownFrom }),
      });
      const { segment, count, digest, itemDigests } = segmentOf(input, transcript);
      const { blob } = await putValue(blobs, location.workflowId, segment, '');
      // The next run's first completion begins here.
      transcripts.keep(location, {
        beginning: transcript.beginning,
        entries: transcript.entries.slice(0, count),
        digests: transcript.digests.slice(0, count),
        digest,
      });
      return { blob, count, digest, itemDigests };
    } catch (error) {
      if (error instanceof TranscriptMismatch) throw error;
      throw storeFailure(blobs, 'writing the segment', error);
    }
  };
}

/** What goes into the blob, and what the transcript is then. The last entries of the transcript are loose. */
export function segmentOf(
  input: SegmentInput,
  transcript: Transcript,
): { readonly segment: Segment } & Omit<SegmentOutput, 'blob'> {
  const from = input.previous?.count ?? 0;
  const count = transcript.entries.length - input.loose.length;
  const digests = transcript.digests.slice(from, count);
  const loose: Record<string, ResultEntry> = {};
  for (const [index, { activityId }] of input.loose.entries()) {
    const entry = transcript.entries[count + index];
    if (entry?.kind === 'result') loose[activityId] = entry;
  }
  return {
    segment: {
      previous: input.previous?.blob ?? null,
      from,
      start: input.previous?.digest ?? null,
      ...firstOf(transcript, from),
      entries: transcript.entries.slice(from, count),
      digests,
      loose,
    },
    count,
    digest: digests.reduce<string | null>(chainDigest, input.previous?.digest ?? null),
    itemDigests: transcript.digests.slice(input.position.count, count),
  };
}

function firstOf({ entries, digests }: Transcript, from: number): Pick<Segment, 'first'> {
  const n = entries.findIndex(({ kind }) => kind === 'user');
  const entry = entries[n];
  if (entry?.kind !== 'user' || n >= from) return {};
  return { first: { n, entry, digest: digests[n] ?? '' } };
}
