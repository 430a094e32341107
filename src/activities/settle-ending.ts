import type { ApplicationFailure } from '@temporalio/activity';
import type { Content } from '../core/content.ts';
import { textOf } from '../core/content.ts';
import { describeError, messageOf } from '../core/describe-error.ts';
import type { Effect, EffectState } from '../core/effect.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Operation } from '../core/state-patch.ts';
import { ToolError } from '../tools/tool.ts';
import { endedByShutdown, transientFailure } from './attempt-failure.ts';
import { isConnectionError } from './connection-error.ts';
import type { Interruption } from './interruptions.ts';
import type { Ended, Ending } from './run-to-end.ts';
import { readReturn, type Original } from './settle-return.ts';

/** How a call settles: with what its tool returned, or with an error. */
export type Settlement =
  | {
      readonly outcome: 'ok';
      readonly effect: EffectState;
      readonly content: Content;
      readonly original?: Original;
      readonly patch?: readonly Operation[];
    }
  | (Outcome & { readonly outcome: Exclude<Outcome['outcome'], 'ok'> });

export interface EndedCall {
  readonly tool: string;
  readonly effect: Effect;
  readonly timeoutMs: number;
  readonly graceMs: number;
  /** In words, if the event loop stood still while the call ran. */
  readonly blockedLoop?: string | undefined;
}

/**
 * What the end of a tool's `execute` comes to: the call's one outcome (design §5).
 * @throws {ApplicationFailure} when the attempt failed and another one may settle the call: a
 *   transient failure, or a worker's shutdown. Never for a `once` tool.
 */
export function settleEnding({ ending, interruption }: Ended, call: EndedCall): Settlement {
  if (interruption === 'shutdown') throw endedByShutdown(call.tool, ending.kind !== 'abandoned');
  const settlement =
    interruption === undefined
      ? settleOwnEnd(ending, call)
      : settleTold(ending, interruption, call);
  return settlement.outcome === 'ok' ? settlement : withBlockedLoop(settlement, call);
}

/** Nobody vouches for what happened: a tool that only reads has no effect, of others nobody knows. */
export function effectUnlessVouched(effect: Effect): EffectState {
  return effect === 'read' ? 'none' : 'unknown';
}

/** It returned: what it was to do is done. */
export function effectOfReturn(effect: Effect): EffectState {
  return effect === 'read' ? 'none' : 'happened';
}

function settleOwnEnd(ending: Ending, call: EndedCall): Settlement {
  switch (ending.kind) {
    case 'returned':
      return settleReturn(ending.value, call);
    case 'threw':
      return settleThrow(ending.error, call);
    case 'abandoned':
      throw new Error('code was given up that nobody had told to stop');
  }
}

export function settleReturn(value: unknown, call: Pick<EndedCall, 'effect'>): Settlement {
  const returned = readReturn(value);
  const effect = effectOfReturn(call.effect);
  if (returned.kind === 'content') {
    const { content, original, patch } = returned;
    return {
      outcome: 'ok',
      effect,
      content,
      ...(original === undefined ? {} : { original }),
      ...(patch === undefined ? {} : { patch }),
    };
  }
  const rest = returned.content === undefined ? '' : `\nIt returned:\n${textOf(returned.content)}`;
  return { outcome: 'invalid_output', effect, message: `${returned.problem}${rest}` };
}

function settleThrow(error: unknown, call: EndedCall): Settlement {
  const settlement = errorSettlement(error, call);
  const mayRepeat = call.effect !== 'once';
  if (mayRepeat && isTransient(error)) {
    throw transient(withBlockedLoop(settlement, call));
  }
  return settlement;
}

function transient(outcome: Outcome): ApplicationFailure {
  return transientFailure(outcome.message, outcome);
}

function isTransient(error: unknown): boolean {
  return isToolError(error) ? error.retryable : isConnectionError(error);
}

function errorSettlement(error: unknown, call: EndedCall): ErrorSettlement {
  if (isToolError(error)) {
    return { outcome: 'tool_error', effect: vouchedEffect(error), message: messageOf(error) };
  }
  return {
    outcome: 'tool_failed',
    effect: effectUnlessVouched(call.effect),
    message: describeError(error),
  };
}

type ErrorSettlement = Exclude<Settlement, { outcome: 'ok' }>;

/** It was told to stop: that is its outcome, whatever it still did; what it did is said. */
function settleTold(ending: Ending, interruption: Interruption, call: EndedCall): ErrorSettlement {
  const isTimeout = interruption === 'timeout';
  const outcome = isTimeout ? 'timeout' : 'cancelled';
  const told = isTimeout ? `It was told to stop after ${seconds(call.timeoutMs)}.` : '';
  const say = (effect: EffectState, words: string): ErrorSettlement => ({
    outcome,
    effect,
    message: [told, words].filter((part) => part !== '').join(' '),
  });
  switch (ending.kind) {
    case 'returned':
      return say(effectOfReturn(call.effect), lateReturn(ending.value));
    case 'threw':
      if (isToolError(ending.error)) {
        return say(vouchedEffect(ending.error), `It ended with: ${messageOf(ending.error)}`);
      }
      return say(
        effectUnlessVouched(call.effect),
        isAbort(ending.error) ? '' : `It ended with ${describeError(ending.error)}.`,
      );
    case 'abandoned':
      return say(
        effectUnlessVouched(call.effect),
        `It had not ended ${seconds(call.graceMs)} after it was told to stop: it may still be running.`,
      );
  }
}

function lateReturn(value: unknown): string {
  const returned = readReturn(value);
  const words =
    returned.kind === 'content'
      ? `It returned all the same:\n${textOf(returned.content)}`
      : `It returned all the same. ${returned.problem}`;
  const hasPatch = returned.kind === 'content' && returned.patch !== undefined;
  return hasPatch ? `${words}\nIts change of the shared state was not applied.` : words;
}

function withBlockedLoop(settlement: ErrorSettlement, call: EndedCall): ErrorSettlement {
  if (call.blockedLoop === undefined) return settlement;
  const message = [settlement.message, call.blockedLoop].filter((part) => part !== '').join('\n');
  return { ...settlement, message };
}

/** A tool's package may have its own copy of ours. */
function isToolError(error: unknown): error is ToolError {
  return (
    error instanceof ToolError ||
    (error instanceof Error &&
      error.name === 'ToolError' &&
      'effect' in error &&
      'retryable' in error)
  );
}

function vouchedEffect({ effect }: ToolError): EffectState {
  return effect === 'none' || effect === 'happened' ? effect : 'unknown';
}

/** The ways in which libraries say that they obeyed the signal. */
function isAbort(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'AbortError' || code === 'ABORT_ERR' || name === 'CancelledFailure';
}

function seconds(ms: number): string {
  return ms >= 1_000 || ms === 0 ? `${Number((ms / 1_000).toFixed(1))} s` : `${ms} ms`;
}
