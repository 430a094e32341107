import { ApplicationFailure } from '@temporalio/activity';
import { cleanText } from '../core/clean-text.ts';
import { cutText } from '../core/cut-text.ts';
import { ATTEMPT_FAILURES } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import type { Outcome } from '../core/outcome.ts';

/** Characters of a message in a failure: details and messages of failures are for people, and bounded. */
const MAX_MESSAGE = 2_000;

/**
 * A failed attempt. Never retryable by Temporal: the workflow owns every retry, also when an
 * operator raises an activity's maximum attempts.
 */
function attemptFailure(
  type: string,
  message: string,
  options: { readonly details?: Json; readonly cause?: unknown } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: cutText(cleanText(message), MAX_MESSAGE),
    nonRetryable: true,
    ...(options.details === undefined ? {} : { details: [options.details] }),
    ...(options.cause instanceof Error ? { cause: options.cause } : {}),
  });
}

/**
 * An agent, tool or model that this worker does not have; another one of the fleet may.
 * Details: `{ known, patienceMs }`.
 */
export function notKnownHere(
  message: string,
  details: { readonly known: readonly string[]; readonly patienceMs: number },
): ApplicationFailure {
  return attemptFailure(ATTEMPT_FAILURES.notKnownHere, message, { details: { ...details } });
}

/**
 * A failure that is worth another attempt.
 * Details: `{ message, outcome }`, the outcome with which the call settles when its retries are used up.
 */
export function transientFailure(message: string, outcome: Outcome): ApplicationFailure {
  const short = (text: string): string => cutText(cleanText(text), MAX_MESSAGE);
  return attemptFailure(ATTEMPT_FAILURES.transient, message, {
    details: {
      message: short(message),
      outcome: { ...outcome, message: short(outcome.message) },
    },
  });
}

/**
 * Temporal started a call's activity a second time, and its handler did not run: it is that of a
 * `once` tool, or could not be prepared.
 */
export function secondStart(tool: string, attempt: number): ApplicationFailure {
  return attemptFailure(
    ATTEMPT_FAILURES.secondStart,
    `Temporal started attempt ${attempt} of the tool "${tool}": it was not run again`,
    { details: { attempt } },
  );
}

/**
 * The worker shuts down and the attempt was ended for it.
 * Details: `{ ended }`: whether the handler has returned, so that it can do nothing more.
 */
export function endedByShutdown(tool: string, ended: boolean): ApplicationFailure {
  const message = ended
    ? `the worker shuts down; the handler of "${tool}" was told to stop and returned`
    : `the worker shuts down; the handler of "${tool}" was told to stop but did not return`;
  return attemptFailure(ATTEMPT_FAILURES.workerShutdown, message, { details: { ended } });
}

/** A store or the server could not be read before the tool began: nothing has happened. */
export function storeUnavailable(message: string, cause: unknown): ApplicationFailure {
  return attemptFailure(ATTEMPT_FAILURES.storeUnavailable, message, { cause });
}
