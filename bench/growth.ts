import type { Contest } from './contestants.ts';
import { type ConversationSize, conversationSize } from './conversation-size.ts';
import { table } from './measure.ts';

/** Of each result. */
export const RESULT_BYTES = 5_000;

export interface Growth extends ConversationSize {
  readonly pairs: number;
}

/** Bytes and events of history against the number of call/result pairs of 5 KB. */
export async function measureGrowth(
  contest: Pick<Contest, 'ours' | 'temporal'>,
  lengths: readonly number[],
): Promise<Growth[]> {
  const grown: Growth[] = [];
  for (const pairs of lengths) {
    const id = `growth-${pairs}`;
    await contest.ours.run(pairs, RESULT_BYTES, id);
    grown.push({ pairs, ...(await conversationSize(contest.temporal, id)) });
  }
  return grown;
}

export function growthTable(grown: readonly Growth[]): string {
  return table(
    ['pairs', 'bytes per pair', 'events per pair', 'runs', 'largest run, bytes', 'its events'],
    grown.map(({ pairs, bytes, events, runs, largestRunBytes, largestRunEvents }) => [
      pairs.toLocaleString('en'),
      bytes / pairs,
      events / pairs,
      String(runs),
      largestRunBytes,
      largestRunEvents,
    ]),
  );
}
