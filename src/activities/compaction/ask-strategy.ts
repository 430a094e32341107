import { describeError } from '../../core/describe-error.ts';
import type {
  CompactionAnswer,
  CompactionInfo,
  OnCompact,
} from '../../tools/compaction-options.ts';
import { withinLimit } from '../planning/within-limit.ts';

const HOOK_LIMIT_MS = 60_000;

export type Strategy =
  | { readonly answer: CompactionAnswer }
  /** The hook failed: what holds is the way without it. */
  | { readonly problem: string };

/** Asks the agent's own strategy. A hook that throws, hangs or answers nonsense ends nothing. */
export async function askStrategy(
  onCompact: OnCompact,
  info: Omit<CompactionInfo, 'signal'>,
  signal: AbortSignal,
): Promise<Strategy> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(HOOK_LIMIT_MS)]);
  try {
    const answer = await withinLimit(HOOK_LIMIT_MS, () => onCompact({ ...info, signal: limited }));
    const problem = problemOf(answer);
    return problem === undefined ? { answer } : { problem };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `onCompact failed: ${describeError(error)}` };
  }
}

function problemOf(answer: unknown): string | undefined {
  if (answer === 'default' || answer === 'cut') return undefined;
  const { summary, keepSteps } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
    summary?: unknown;
    keepSteps?: unknown;
  };
  const isSummary = typeof summary === 'string' && summary.trim() !== '';
  const isCount =
    keepSteps === undefined ||
    (typeof keepSteps === 'number' && Number.isSafeInteger(keepSteps) && keepSteps >= 1);
  if (isSummary && isCount) return undefined;
  const got = (JSON.stringify(answer) ?? 'nothing').slice(0, 200);
  return `onCompact: expected "default", "cut" or { summary: text, keepSteps?: 1 or more }, got ${got}`;
}
