import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import { BlobMissing } from '../blobs/blob-store.ts';
import { describeError } from '../core/describe-error.ts';
import type { ModelFailureType } from '../core/failure.ts';
import { isJsonObject } from '../core/json.ts';
import type { Usage } from '../core/usage.ts';
import { type Model, ModelFailure } from '../models/model.ts';
import { endedByShutdown } from './attempt-failure.ts';
import { TranscriptMismatch } from './transcript/transcript-mismatch.ts';

const MAX_MESSAGE_CHARACTERS = 1_000;

export interface FailedAttempt {
  /** Milliseconds. */
  readonly ranMs: number;
  readonly model?: Model | undefined;
  /** Of a completion that was whole, when what failed came after it. */
  readonly usage?: Usage | undefined;
  /** Whether the request holds images or documents, which may be what a service refuses. */
  readonly hasParts?: boolean;
}

/**
 * What a failed completion is reported as: the model's own classification, in an ApplicationFailure
 * that only the workflow may repeat. A stop is a cancellation, a shutdown a lost attempt. What the
 * attempt used is told, where it arrived.
 */
export function toFailure(error: unknown, context: Context, attempt: FailedAttempt): Error {
  const { cancellationSignal, cancellationDetails, info } = context;
  if (cancellationSignal.aborted) {
    return cancellationDetails?.workerShutdown === true
      ? endedByShutdown(info.activityType, true)
      : new CancelledFailure('the completion was stopped');
  }
  const { ranMs } = attempt;
  if (error instanceof ApplicationFailure) return withDetails(error, spentDetails(attempt));
  if (error instanceof ModelFailure) {
    const { type, message, retryAfterMs, requestId, usage = attempt.usage } = error;
    return failureOf(type, message, {
      ranMs,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...spentDetails({ ...attempt, usage }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(type === 'invalid_request' && attempt.hasParts === true ? { hasParts: true } : {}),
    });
  }
  const details = { ranMs, ...spentDetails(attempt) };
  // Tried again it would be the same: what is recorded does not lead to a request.
  if (error instanceof TranscriptMismatch || error instanceof BlobMissing) {
    return failureOf('invalid_request', `the transcript cannot be read: ${error.message}`, details);
  }
  const message = `the adapter failed unexpectedly: ${describeError(error)}`;
  return failureOf('bad_response', message, details);
}

function spentDetails({ model, usage }: Omit<FailedAttempt, 'ranMs'>): object {
  if (usage === undefined) return {};
  const cost = model?.cost?.(usage);
  return { usage, ...(cost === undefined ? {} : { cost }) };
}

function withDetails(failure: ApplicationFailure, more: object): ApplicationFailure {
  if (Object.keys(more).length === 0) return failure;
  const { type, message, cause, nonRetryable } = failure;
  const details: unknown = failure.details?.[0];
  return ApplicationFailure.create({
    message,
    ...(type == null ? {} : { type }),
    nonRetryable: nonRetryable ?? true,
    ...(cause === undefined ? {} : { cause }),
    details: [{ ...(isJsonObject(details) ? details : {}), ...more }],
  });
}

function failureOf(type: ModelFailureType, message: string, details: object): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
    nonRetryable: true,
    details: [details],
  });
}
