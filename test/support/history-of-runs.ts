import type { HistorySource } from '../../src/activities/transcript/history-source.ts';
import type { RunLocation } from '../../src/activities/transcript/transcript-reader.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Serves recorded runs in pages, and counts them. */
export function historyOf(
  runs: readonly RecordedRun[],
  options: { readonly pageSize?: number } = {},
): HistorySource & { pages: number; forget(run: RecordedRun): void } {
  const pageSize = options.pageSize ?? 10;
  const known = new Set(runs);
  async function* pages(location: RunLocation, newestFirst: boolean) {
    const run = [...known].find((candidate) => candidate.location.runId === location.runId);
    const events = [...(run?.events ?? [])];
    if (newestFirst) events.reverse();
    for (let start = 0; start < events.length; start += pageSize) {
      source.pages += 1;
      yield await Promise.resolve(events.slice(start, start + pageSize));
    }
  }
  const source = {
    pages: 0,
    forget: (run: RecordedRun) => void known.delete(run),
    newestFirst: (location: RunLocation) => pages(location, true),
    oldestFirst: (location: RunLocation) => pages(location, false),
  };
  return source;
}
