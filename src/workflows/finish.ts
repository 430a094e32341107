import { ApplicationFailure, CancellationScope, CancelledFailure, log } from '@temporalio/workflow';
import type { Ending, KeepInput, KeepOutput } from '../core/activity-shapes.ts';
import { presentSummary } from '../core/conversation-summary.ts';
import { failureTypeOf, meaningOf } from '../core/end-of-turn.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import type { ConversationResult, StopReason } from '../core/status.ts';
import { takeMessages } from './absorb.ts';
import { answersAreOut, writeSegment } from './hand-over.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';
import { enter } from './run-turn.ts';
import { refuseEdits } from './validate-edits.ts';

/** Failure messages are shown in lists and logs: they are kept short. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Times that what arrives while the last entries are kept is kept too. */
const MAX_KEEPING_ROUNDS = 3;

/**
 * Ends the conversation: what no completion has received is kept in the last segment, and the
 * result is returned, or thrown where the run must be red in the UI. Undefined when a message came
 * meanwhile that is to be answered: the conversation goes on.
 * @throws ApplicationFailure whose type is the reason in PascalCase, with the result so far.
 */
export async function finish(
  memory: Memory,
  stopReason: StopReason,
  message?: string,
): Promise<ConversationResult | undefined> {
  const meaning = meaningOf(stopReason);
  // Where no other turn can begin, what is sent from here on is refused, not lost.
  if (meaning !== 'completed') memory.update({ closing: true });
  const areKept = await keepLastEntries(memory);
  if (!memory.state.closing && memory.state.inbox.queued.length > 0) return undefined;
  const isFailure =
    meaning === 'failed' || (meaning === 'limit' && memory.state.spec.settings.onLimit === 'fail');
  const result = resultOf(memory, stopReason);
  if (!isFailure) {
    if (areKept) await keepTranscript(memory, { status: 'COMPLETED', result });
    return result;
  }
  const words = `the turn ended with ${stopReason}${message === undefined ? '' : `: ${message}`}`;
  const failure = {
    message: words.slice(0, MAX_MESSAGE_CHARACTERS),
    type: failureTypeOf(stopReason),
  };
  if (areKept) await keepTranscript(memory, { status: 'FAILED', result, failure });
  throw ApplicationFailure.create({ ...failure, nonRetryable: true, details: [result] });
}

/** A cancelled conversation is kept like any other. */
export async function finishCancelled(memory: Memory): Promise<never> {
  memory.update({ closing: true });
  const areKept = await keepLastEntries(memory);
  if (areKept) await keepTranscript(memory, { status: 'CANCELLED' });
  throw new CancelledFailure('the conversation was cancelled');
}

/**
 * Everything that was said and done is in history or the store before the workflow ends. False where
 * the entries before cannot be read: the result stays what it is, as the last ones do in the history
 * of the failed activity.
 */
async function keepLastEntries(memory: Memory): Promise<boolean> {
  return CancellationScope.nonCancellable(async () => {
    refuseEdits(memory, { code: 'closed', message: 'the conversation has ended' });
    for (let round = 0; round < MAX_KEEPING_ROUNDS; round++) {
      // What was said and never answered is part of the transcript all the same.
      if (round === 0 || memory.state.closing) enter(memory, await takeMessages(memory, 'all'));
      const isKept = await keepItems(memory);
      await answersAreOut(memory);
      if (!isKept) return false;
      const waits = memory.state.closing && memory.state.inbox.queued.length > 0;
      if (memory.state.items.length === 0 && !waits) return true;
    }
    return true;
  });
}

/** Whether the newest turn is in history alone, and is to outlive it. */
function isLastTurnLoose({ state }: Memory): boolean {
  const { position, segment, spec } = state;
  return spec.settings.keepTranscripts === true && position.count > (segment?.count ?? 0);
}

/**
 * Where the worker says so: what is left when the server has let the conversation go. What cannot
 * be kept (a part of it is gone) is in history as a failed activity, and changes no result.
 */
async function keepTranscript(memory: Memory, ending: Ending): Promise<void> {
  if (memory.state.spec.settings.keepTranscripts !== true) return;
  memory.update({ closing: true });
  const { agent, segment, spec } = memory.state;
  const input: KeepInput = { agent, ending, segment, store: spec.blobStore };
  await CancellationScope.nonCancellable(async () => {
    try {
      await ownActivity<KeepOutput>(memory, {
        type: ACTIVITIES.keep,
        activityId: activityIds.keep,
        input,
        summary: 'keep the transcript past the retention time',
      });
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      log.warn('the transcript could not be kept', { reason: error.message });
    }
    await answersAreOut(memory);
  });
}

async function keepItems(memory: Memory): Promise<boolean> {
  const sent = memory.state.items.length;
  if (sent === 0 && !isLastTurnLoose(memory)) return true;
  try {
    const { blob, count, digest } = await writeSegment(memory);
    memory.keepIn({ blob, count, digest }, sent);
    return true;
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    log.warn('the last entries could not be kept in a segment', { reason: error.message });
    return false;
  }
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
