import type { ModelFailureType } from './failure.ts';
import type { StatusAnswer, StopReason } from './status.ts';

/** How a turn ends whose completion failed for good. */
export function stopReasonOfFailure(type: ModelFailureType): StopReason {
  switch (type) {
    case 'rate_limited':
    case 'overloaded':
    case 'server_error':
    case 'connection':
    case 'stalled':
    case 'bad_response':
    case 'cancelled':
      return 'model_unavailable';
    case 'invalid_request':
    case 'too_large':
    case 'auth':
    case 'permission':
    case 'not_found':
    case 'billing':
      return 'model_rejected';
    case 'context_overflow':
      return 'context_overflow';
    case 'refused':
      return 'refused';
  }
}

/** What a reason means for a task: an answer, a partial one, or a failure that is red in the UI. */
export function meaningOf(reason: StopReason): 'completed' | 'limit' | 'failed' {
  switch (reason) {
    case 'answered':
    case 'closed':
    case 'idle':
      return 'completed';
    case 'max_steps':
    case 'deadline':
    case 'max_tokens':
    case 'max_cost':
    case 'max_calls':
      return 'limit';
    case 'refused':
    case 'truncated':
    case 'context_overflow':
    case 'unparseable':
    case 'stopped':
    case 'approval_expired':
    case 'model_unavailable':
    case 'model_rejected':
      return 'failed';
  }
}

/** The ApplicationFailure's type of a failed task: the reason in PascalCase. */
export function failureTypeOf(reason: StopReason): string {
  return reason.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** How a turn ended that did not end in an answer, for people. */
export function endOfTurnWords(lastTurn: StatusAnswer['lastTurn']): string | undefined {
  if (lastTurn === undefined || meaningOf(lastTurn.stopReason) === 'completed') return undefined;
  const { stopReason, message } = lastTurn;
  return message === undefined ? stopReason : `${stopReason}: ${message}`;
}
