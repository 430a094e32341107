import type { Entry } from './entry.ts';

/**
 * The numbers of entries before which a transcript can be parted so that no call is parted from its
 * results, in ascending order, without 0. Each begins a step: an assistant turn, with what users
 * said and what was noted directly before it. A turn from `pendingFrom` on waits for results, so
 * nothing behind it is a place to part.
 */
export function stepStarts(
  entries: readonly Entry[],
  pendingFrom: number = entries.length,
): readonly number[] {
  const lastResults = lastResultOfSteps(entries);
  const starts: number[] = [];
  // The last entry that belongs to a turn seen so far.
  let reach = -1;
  entries.forEach((entry, n) => {
    if (entry.kind !== 'assistant') return;
    const start = startOfStep(entries, n);
    if (start > reach && start > 0) starts.push(start);
    const end = n >= pendingFrom ? entries.length : (lastResults.get(stepOf(entry)) ?? n);
    reach = Math.max(reach, end);
  });
  return starts;
}

function lastResultOfSteps(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  entries.forEach((entry, n) => {
    if (entry.kind === 'result') last.set(stepOf(entry), n);
  });
  return last;
}

function startOfStep(entries: readonly Entry[], turn: number): number {
  let start = turn;
  while (start > 0) {
    const kind = entries[start - 1]?.kind;
    if (kind !== 'user' && kind !== 'note' && kind !== 'summary') break;
    start -= 1;
  }
  return start;
}

function stepOf({ turn, step }: Entry): string {
  return `${turn}.${step}`;
}
