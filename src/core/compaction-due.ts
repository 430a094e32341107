import type { ConversationState } from './conversation-state.ts';

/** A compaction that brought too little is asked for again when the context grew by a fifth. */
const GROWTH = 1.2;

/** How far the context may grow, when a compaction did not bring it below the budget. */
export type CompactionFloor =
  /** One was made; the next completion measures what it brought. */
  'measure' | number;

type Context = Pick<ConversationState, 'contextTokens' | 'waitingTokens' | 'compactionFloor'>;

/** About how many tokens the next request has: what was counted last, and what came since. */
export function nextContextTokens({ contextTokens, waitingTokens }: Context): number {
  return contextTokens + waitingTokens;
}

/** Whether the transcript is to be compacted before the next completion. */
export function compactionDue(context: Context, budget: number | undefined): boolean {
  if (budget === undefined) return false;
  const { compactionFloor } = context;
  const floor = typeof compactionFloor === 'number' ? compactionFloor : 0;
  return nextContextTokens(context) > Math.max(budget, floor);
}

/** After a compaction that could not show anything shorter. */
export function floorAfterFailure(context: Context): CompactionFloor {
  return Math.round(nextContextTokens(context) * GROWTH);
}

/** After a completion, whose context was counted. */
export function floorAfterCompletion(
  floor: CompactionFloor | undefined,
  counted: number,
  budget: number | undefined,
): CompactionFloor | undefined {
  if (floor === 'measure') {
    return counted > (budget ?? Infinity) ? Math.round(counted * GROWTH) : undefined;
  }
  // Back below the budget, by whatever way: from here on the budget holds again.
  return floor !== undefined && counted <= (budget ?? Infinity) ? undefined : floor;
}
