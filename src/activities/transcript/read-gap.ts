import type { SegmentReference } from '../../core/segment.ts';
import { ChainWalk, type Gap, type Known } from './chain-walk.ts';
import type { HistorySource } from './history-source.ts';
import type { PayloadDecoder } from './payload-decoder.ts';
import { pairActivities } from './recorded-activity.ts';
import type { ReadAt } from './read-at.ts';
import { readRunBeginning } from './run-beginning.ts';
import type { SegmentLoader } from './segment-loader.ts';
import type { RunLocation } from './transcript-reader.ts';

/** For the eyes of people: better what is left than nothing. A model is never shown that. */
export interface GapOptions {
  readonly acceptRemains?: boolean;
}

export interface GapSources {
  readonly history: HistorySource;
  readonly decode: PayloadDecoder;
  readonly segments: SegmentLoader;
  readonly onPage?: () => void;
}

/**
 * Reads what is not known of a transcript: the run's history newest first, then the segments, and
 * where the store lacks one the histories of the earlier runs.
 * @throws {TranscriptMismatch} when what is recorded does not lead to the position.
 */
export async function readGap(
  sources: GapSources,
  location: RunLocation,
  at: ReadAt,
  known: Known,
  options: GapOptions = {},
): Promise<Gap & { readonly isWhole: boolean }> {
  const walk = new ChainWalk(sources.decode, sources.segments, location, at, known);
  await walk.begin(at.segment);
  let run = location;
  let segment = at.segment;
  for (;;) {
    await readRun(sources, walk, run, segment);
    if (walk.isComplete) return { ...walk.gap(), isWhole: true };
    const { predecessor } = (await readRunBeginning(sources.history, sources.decode, run)) ?? {};
    if (predecessor === undefined) {
      if (options.acceptRemains !== true) throw walk.notFound();
      return { ...walk.remains(), isWhole: false };
    }
    run = { ...run, runId: predecessor };
    segment = (await readRunBeginning(sources.history, sources.decode, run))?.segment;
    await walk.enterEarlierRun(segment);
  }
}

async function readRun(
  { history, onPage }: GapSources,
  walk: ChainWalk,
  run: RunLocation,
  segment: SegmentReference | undefined,
): Promise<void> {
  if (walk.isComplete || walk.nothingMoreIn(segment)) return;
  const pair = pairActivities();
  for await (const events of history.newestFirst(run)) {
    onPage?.();
    await walk.take(run, pair(events), segment);
    if (walk.isComplete || walk.nothingMoreIn(segment)) return;
  }
}
