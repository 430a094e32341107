import { addUsage, NO_USAGE, type Usage } from '../core/usage.ts';
import { ModelFailure } from './model.ts';

/** A failure after answers that had to be asked for again: what those used is paid too. */
export function withSpent(error: unknown, spent: Usage): unknown {
  if (!(error instanceof ModelFailure) || spent === NO_USAGE) return error;
  return new ModelFailure(error.type, error.message, {
    cause: error,
    retryAfterMs: error.retryAfterMs,
    requestId: error.requestId,
    usage: addUsage(spent, error.usage ?? NO_USAGE),
  });
}
