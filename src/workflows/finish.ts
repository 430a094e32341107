import {
  ApplicationFailure,
  CancellationScope,
  condition,
  allHandlersFinished,
} from '@temporalio/workflow';
import { presentSummary } from '../core/conversation-summary.ts';
import { take } from '../core/inbox.ts';
import { failureTypeOf, meaningOf } from '../core/end-of-turn.ts';
import type { ConversationResult, StopReason } from '../core/status.ts';
import { writeSegment } from './hand-over.ts';
import type { Memory } from './memory.ts';
import { enter } from './run-turn.ts';
import { refuseEdits } from './validate-edits.ts';

/** Failure messages are shown in lists and logs: they are kept short. */
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Ends the conversation: what no completion has received is kept in the last segment, and the
 * result is returned, or thrown where the run must be red in the UI.
 * @throws ApplicationFailure whose type is the reason in PascalCase, with the result so far.
 */
export async function finish(
  memory: Memory,
  stopReason: StopReason,
  message?: string,
): Promise<ConversationResult> {
  await keepLastEntries(memory);
  const meaning = meaningOf(stopReason);
  const isFailure =
    meaning === 'failed' || (meaning === 'limit' && memory.state.spec.settings.onLimit === 'fail');
  const result = resultOf(memory, stopReason);
  if (!isFailure) return result;
  const words = `the turn ended with ${stopReason}${message === undefined ? '' : `: ${message}`}`;
  throw ApplicationFailure.create({
    message: words.slice(0, MAX_MESSAGE_CHARACTERS),
    type: failureTypeOf(stopReason),
    nonRetryable: true,
    details: [result],
  });
}

/** Everything that was said and done is in history or the store before the workflow ends. */
export async function keepLastEntries(memory: Memory): Promise<void> {
  refuseEdits(memory, { code: 'closed', message: 'the conversation has ended' });
  // What was said and never answered is part of the transcript all the same.
  const { inbox, taken } = take(memory.state.inbox, 'all');
  memory.update({ inbox });
  enter(memory, taken);
  if (memory.state.items.length > 0) {
    await CancellationScope.nonCancellable(() => writeSegment(memory));
  }
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
}

export function resultOf(memory: Memory, stopReason: StopReason): ConversationResult {
  const { state } = memory;
  return {
    status: meaningOf(stopReason) === 'completed' ? 'completed' : 'partial',
    stopReason,
    text: state.lastTurn?.text ?? '',
    ...(state.output === undefined ? {} : { output: state.output }),
    turns: state.turn,
    usage: state.usage,
    ...(state.cost === undefined ? {} : { cost: state.cost }),
    summary: presentSummary(state.summary),
  };
}
