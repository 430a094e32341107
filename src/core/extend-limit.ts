import { type Duration, durationMs } from './duration.ts';
import type { LimitReached, Limits } from './limits.ts';

const FIELD = {
  max_steps: 'maxSteps',
  deadline: 'deadline',
  max_tokens: 'maxTokens',
  max_cost: 'maxCost',
  max_calls: 'maxCalls',
} as const satisfies Record<LimitReached, keyof Limits>;

export function limitValue(limits: Limits, reached: LimitReached): Duration | undefined {
  return limits[FIELD[reached]];
}

/** A person allowed the conversation to go on: the limit that was reached grows by its first size. */
export function extendLimit(limits: Limits, first: Limits, reached: LimitReached): Limits {
  const field = FIELD[reached];
  const now = durationMs(limits[field]) ?? 0;
  const more = durationMs(first[field]) ?? now;
  return { ...limits, [field]: now + more };
}
