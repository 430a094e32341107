import { CancelledFailure } from '@temporalio/workflow';
import { addFailedAttempt, addUsageOfModel } from '../core/conversation-summary.ts';
import type { ModelFailureType } from '../core/failure.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { addCost, addUsage, type Usage } from '../core/usage.ts';
import type { AttemptFailure } from './describe-failure.ts';
import type { Memory } from './memory.ts';

export interface FailedCompletion {
  readonly type: ModelFailureType;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  /** Milliseconds that the attempt ran; 0 where nobody knows: time without a worker does not count. */
  readonly ranMs: number;
  /** The fault was ours, not the model's: the first time, try again without a wait. */
  readonly atOnce: boolean;
  /** Refused, and perhaps for an image or a document in it. */
  readonly hasParts: boolean;
}

/** Any failed attempt at a completion, in the terms of a model's failure. @throws CancelledFailure */
export function failedCompletion(failure: AttemptFailure): FailedCompletion {
  const own = { retryAfterMs: undefined, ranMs: 0, hasParts: false };
  switch (failure.kind) {
    case 'cancelled':
      throw new CancelledFailure('cancelled');
    case 'model': {
      if (failure.type === 'cancelled') throw new CancelledFailure(failure.message);
      const details = isJsonObject(failure.details) ? failure.details : {};
      return {
        type: failure.type,
        message: failure.message,
        retryAfterMs: numberOf(details['retryAfterMs']),
        ranMs: numberOf(details['ranMs']) ?? 0,
        atOnce: false,
        hasParts: details['hasParts'] === true,
      };
    }
    case 'failed':
      return {
        ...own,
        type: 'bad_response',
        message: `${failure.type}: ${failure.message}`,
        atOnce: false,
      };
    case 'not_known_here':
    case 'transient':
    case 'store_unavailable':
      return { ...own, type: 'connection', message: failure.message, atOnce: false };
    case 'lost':
    case 'second_start':
    case 'no_worker':
    case 'start_to_close':
      return { ...own, type: 'connection', message: failure.message, atOnce: true };
  }
}

/** A failed attempt may have been paid for: what it is known to have used, or that nobody knows. */
export function countFailedAttempt(memory: Memory, model: string, failure: AttemptFailure): void {
  const details = 'details' in failure && isJsonObject(failure.details) ? failure.details : {};
  const usage = usageOf(details['usage']);
  if (usage === undefined && !mayHaveReachedModel(failure)) return;
  const { state } = memory;
  const summary = addFailedAttempt(state.summary, usage !== undefined);
  if (usage === undefined) {
    memory.update({ summary });
    return;
  }
  const cost = addCost(state.cost, numberOf(details['cost']));
  memory.update({
    usage: addUsage(state.usage, usage),
    ...(cost === undefined ? {} : { cost }),
    summary: addUsageOfModel(summary, model, usage),
  });
}

function mayHaveReachedModel({ kind }: AttemptFailure): boolean {
  switch (kind) {
    case 'not_known_here':
    case 'no_worker':
    case 'store_unavailable':
    case 'transient':
      return false;
    case 'model':
    case 'cancelled':
    case 'failed':
    case 'lost':
    case 'second_start':
    case 'start_to_close':
      return true;
  }
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function usageOf(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value) || typeof value['output'] !== 'number') return undefined;
  return {
    input: numberOf(value['input']) ?? 0,
    cacheRead: numberOf(value['cacheRead']) ?? 0,
    cacheWrite: numberOf(value['cacheWrite']) ?? 0,
    output: value['output'],
    reasoning: numberOf(value['reasoning']) ?? 0,
    ...(value['estimated'] === true ? { estimated: true } : {}),
  };
}
