import * as z from 'zod/mini';
import { type Duration, durationMs, durationSchema } from './duration.ts';

const count = z.number().check(z.int(), z.positive());

const schema = z.strictObject({
  /** Model completions per turn. */
  maxSteps: z.optional(count),
  /** Wall-clock time of a turn, without waits for people. */
  deadline: z.optional(durationSchema()),
  /** Input and output tokens of the conversation. */
  maxTokens: z.optional(count),
  /** US dollars of the conversation. */
  maxCost: z.optional(z.number().check(z.positive())),
  /** Tool calls of the conversation. */
  maxCalls: z.optional(count),
  /** Depth of sub-agents. */
  maxDepth: z.optional(z.number().check(z.int(), z.nonnegative())),
  /** Output tokens of one completion. */
  maxOutputTokens: z.optional(count),
});
export const limitsSchema = () => schema;

export interface Limits {
  readonly maxSteps: number;
  readonly deadline?: Duration;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxCalls?: number;
  readonly maxDepth: number;
  readonly maxOutputTokens: number;
}

export const DEFAULT_LIMITS: Limits = { maxSteps: 50, maxDepth: 4, maxOutputTokens: 16_000 };

/** What happens when a limit is reached (design §10). */
export type OnLimit = 'partial' | 'wrapUp' | 'fail' | 'ask';

export type LimitReached = 'max_steps' | 'deadline' | 'max_tokens' | 'max_cost' | 'max_calls';

export interface Spent {
  /** Completions of the running turn. */
  readonly steps: number;
  /** Milliseconds of the running turn, without waits for people. */
  readonly turnMs: number;
  readonly tokens: number;
  readonly cost: number;
  readonly calls: number;
}

/** The first limit that leaves no room for another completion, in a fixed order. */
export function limitReached(limits: Limits, spent: Spent): LimitReached | undefined {
  if (spent.steps >= limits.maxSteps) return 'max_steps';
  const deadline = limits.deadline === undefined ? undefined : durationMs(limits.deadline);
  if (deadline !== undefined && spent.turnMs >= deadline) return 'deadline';
  if (limits.maxTokens !== undefined && spent.tokens >= limits.maxTokens) return 'max_tokens';
  if (limits.maxCost !== undefined && spent.cost >= limits.maxCost) return 'max_cost';
  if (limits.maxCalls !== undefined && spent.calls >= limits.maxCalls) return 'max_calls';
  return undefined;
}

/** A start may lower an agent's limits, never raise them: the smaller of the two holds. */
export function lowerLimits(agent: Limits, asked: Partial<Limits>): Limits {
  const lowered: Record<string, number | string> = { ...agent } as Record<string, number | string>;
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined) continue;
    const current = lowered[name];
    const isLower =
      current === undefined ||
      (name === 'deadline'
        ? (durationMs(value) ?? 0) < (durationMs(current) ?? Infinity)
        : (value as number) < (current as number));
    if (isLower) lowered[name] = value;
  }
  return lowered as unknown as Limits;
}
