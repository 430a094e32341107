import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import { BlobMissing } from '../blobs/blob-store.ts';
import type { ModelFailureType } from '../core/failure.ts';
import { ModelFailure } from '../models/model.ts';
import { endedByShutdown } from './attempt-failure.ts';
import { TranscriptMismatch } from './transcript/transcript-mismatch.ts';

const MAX_MESSAGE_CHARACTERS = 1_000;

/**
 * What a failed completion is reported as: the model's own classification, in an ApplicationFailure
 * that only the workflow may repeat. A stop is a cancellation, a shutdown a lost attempt.
 */
export function toFailure(error: unknown, context: Context, ranMs: number): Error {
  const { cancellationSignal, cancellationDetails, info } = context;
  if (cancellationSignal.aborted) {
    return cancellationDetails?.workerShutdown === true
      ? endedByShutdown(info.activityType, true)
      : new CancelledFailure('the completion was stopped');
  }
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelFailure) {
    const { type, message, retryAfterMs, usage, requestId } = error;
    return failureOf(type, message, {
      ranMs,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(usage === undefined ? {} : { usage }),
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
  // Tried again it would be the same: what is recorded does not lead to a request.
  if (error instanceof TranscriptMismatch || error instanceof BlobMissing) {
    return failureOf('invalid_request', `the transcript cannot be read: ${error.message}`, {
      ranMs,
    });
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return failureOf('bad_response', `the adapter failed unexpectedly: ${words}`, { ranMs });
}

function failureOf(type: ModelFailureType, message: string, details: object): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
    nonRetryable: true,
    details: [details],
  });
}
