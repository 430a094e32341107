import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TemporalFailure,
  TimeoutFailure,
  isCancellation,
} from '@temporalio/workflow';
import { ATTEMPT_FAILURES, MODEL_FAILURES, type ModelFailureType } from '../core/failure.ts';
import { isJsonObject, type Json } from '../core/json.ts';

/** A failed attempt of an activity, in the words by which the workflow decides. */
export type AttemptFailure =
  | { readonly kind: 'cancelled' }
  /** This worker lacks the agent, tool or model; another of the fleet may have it. */
  | {
      readonly kind: 'not_known_here';
      readonly message: string;
      readonly patienceMs: number;
      readonly details: Json;
    }
  | {
      readonly kind: 'model';
      readonly type: ModelFailureType;
      readonly message: string;
      readonly details: Json;
    }
  | { readonly kind: 'transient'; readonly message: string; readonly details: Json }
  | {
      readonly kind: 'lost';
      readonly provedEnded: boolean;
      /** The worker was told to end: the call is not what killed it. */
      readonly shutdown: boolean;
      readonly message: string;
    }
  | { readonly kind: 'second_start'; readonly message: string }
  /** The blob store or the server could not be read, or a completion not be kept. */
  | { readonly kind: 'store_unavailable'; readonly message: string; readonly details: Json }
  /** No worker took it from its task queue in time. */
  | { readonly kind: 'no_worker'; readonly message: string }
  | { readonly kind: 'start_to_close'; readonly message: string }
  | { readonly kind: 'failed'; readonly type: string; readonly message: string };

const DEFAULT_PATIENCE_MS = 60_000;

/** Operators' commands end an attempt without proof that its handler did. */
const ENDED_BY_OPERATOR = new Set(['ActivityPause', 'ActivityReset', 'ResetWorkflow']);

export function describeFailure(error: unknown): AttemptFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) return describeTimeout(cause);
  if (cause instanceof ApplicationFailure) return describeApplicationFailure(cause);
  if (cause instanceof CancelledFailure || isCancellation(error)) return { kind: 'cancelled' };
  // Not of an activity: a defect of ours, for which the workflow task fails until it is mended.
  if (error instanceof Error && !(error instanceof TemporalFailure)) throw error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return { kind: 'failed', type: 'unknown', message };
}

function describeTimeout(failure: TimeoutFailure): AttemptFailure {
  switch (failure.timeoutType) {
    case 'HEARTBEAT':
      return {
        kind: 'lost',
        provedEnded: false,
        shutdown: false,
        message: 'its worker stopped reporting',
      };
    case 'SCHEDULE_TO_START':
      return { kind: 'no_worker', message: 'no worker took it from its task queue in time' };
    default:
      return { kind: 'start_to_close', message: 'its worker did not report in time' };
  }
}

function describeApplicationFailure(failure: ApplicationFailure): AttemptFailure {
  const type = failure.type ?? 'unknown';
  const message = failure.message ?? '';
  const details = (failure.details?.[0] ?? null) as Json;
  if ((MODEL_FAILURES as readonly string[]).includes(type)) {
    return { kind: 'model', type: type as ModelFailureType, message, details };
  }
  switch (type) {
    case ATTEMPT_FAILURES.notKnownHere: {
      const patience = isJsonObject(details) ? details['patienceMs'] : undefined;
      const patienceMs = typeof patience === 'number' ? patience : DEFAULT_PATIENCE_MS;
      return { kind: 'not_known_here', message, patienceMs, details };
    }
    case ATTEMPT_FAILURES.transient:
      return { kind: 'transient', message, details };
    case ATTEMPT_FAILURES.workerLost:
      return { kind: 'lost', provedEnded: true, shutdown: false, message };
    case ATTEMPT_FAILURES.workerShutdown:
      return {
        kind: 'lost',
        // A handler that was told to end and did not return may still act.
        provedEnded: !isJsonObject(details) || details['ended'] !== false,
        shutdown: true,
        message,
      };
    case ATTEMPT_FAILURES.secondStart:
      return { kind: 'second_start', message };
    case ATTEMPT_FAILURES.storeUnavailable:
      return { kind: 'store_unavailable', message, details };
    default:
      if (ENDED_BY_OPERATOR.has(type))
        return { kind: 'lost', provedEnded: false, shutdown: false, message };
      return { kind: 'failed', type, message };
  }
}
