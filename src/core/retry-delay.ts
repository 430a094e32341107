import { isTransient, type ModelFailureType } from './failure.ts';
import type { RetrySettings } from './spec.ts';

/** Before the n-th retry of a tool's transient failure, n from 1; undefined when its attempts are used up. */
export function toolRetryDelayMs(retry: RetrySettings, failedAttempts: number): number | undefined {
  if (failedAttempts >= retry.attempts) return undefined;
  const delay = retry.initialIntervalMs * retry.backoff ** (failedAttempts - 1);
  return Math.min(delay, retry.maximumIntervalMs);
}

/** Failed completions after which patience may end; fewer could be one passing fault. */
export const MIN_FAILED_COMPLETIONS = 4;
/** The longest wait that a provider may ask of us. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

const INITIAL_MS = 1_000;
const BACKOFF = 2;
const MAXIMUM_MS = 60_000;

export interface CompletionFailures {
  /** Failed attempts of this completion with the present model, the last included. */
  readonly count: number;
  /** Milliseconds that attempts ran and that we chose to wait; waits the provider asked for do not count. */
  readonly spentMs: number;
  readonly patienceMs: number;
}

export type AfterFailedCompletion =
  | { readonly kind: 'again'; readonly delayMs: number; readonly countsAgainstPatience: boolean }
  | { readonly kind: 'give_up' };

/**
 * What follows a failed completion (design §7).
 * @param jitter a number in [0, 1): up to a quarter is taken off a backoff, so that waiting
 *   conversations do not all come back at once.
 */
export function afterFailedCompletion(
  type: ModelFailureType,
  failures: CompletionFailures,
  retryAfterMs: number | undefined,
  jitter: number,
): AfterFailedCompletion {
  if (!isTransient(type)) return { kind: 'give_up' };
  if (failures.count >= MIN_FAILED_COMPLETIONS && failures.spentMs >= failures.patienceMs) {
    return { kind: 'give_up' };
  }
  if (retryAfterMs !== undefined && Number.isFinite(retryAfterMs) && retryAfterMs > 0) {
    const delayMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    return { kind: 'again', delayMs, countsAgainstPatience: false };
  }
  const backoff = Math.min(INITIAL_MS * BACKOFF ** (failures.count - 1), MAXIMUM_MS);
  return {
    kind: 'again',
    delayMs: Math.round(backoff * (1 - jitter / 4)),
    countsAgainstPatience: true,
  };
}
