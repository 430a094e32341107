import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { begin } from '../core/begin.ts';
import type { ConversationState } from '../core/conversation-state.ts';
import { meaningOf } from '../core/end-of-turn.ts';
import type { ConversationResult } from '../core/status.ts';
import { takeMessages, takeTurn } from './absorb.ts';
import { answerQueries } from './answers.ts';
import { askForMore } from './ask-for-more.ts';
import { compact } from './compact.ts';
import { completeModel } from './complete-model.ts';
import { finish, finishCancelled } from './finish.ts';
import { gate } from './gate.ts';
import { handOver, handOverDue } from './hand-over.ts';
import { Memory } from './memory.ts';
import { createPresenter } from './present.ts';
import { adoptSpec, readSpec } from './read-spec.ts';
import { receiveFromOutside } from './receive.ts';
import { readResumed } from './resume.ts';
import { runBatch } from './run-batch.ts';
import { runCall } from './run-call.ts';
import { enter, runTurn, type TurnEffects, type TurnEnd } from './run-turn.ts';

const MAX_WHY_CHARACTERS = 500;

/**
 * One conversation with one agent; the workflow type is the agent's name.
 * @param argument a `Start` (format.md §1), or what an earlier run handed over
 * @returns the result of the conversation
 * @throws ApplicationFailure `InvalidStart`, `UnknownAgent`, or why a task failed, in PascalCase
 */
export async function conversation(argument: unknown): Promise<ConversationResult> {
  const memory = new Memory(initialState(argument), workflowInfo().runId, createPresenter());
  let turn: CancellationScope | undefined;
  receiveFromOutside(memory, { interruptTurn: () => turn?.cancel() });
  answerQueries(memory);
  const root = CancellationScope.current();
  root.cancelRequested.catch(() => {
    memory.stop ??= { reason: 'the conversation was cancelled' };
  });
  const runInScope = async (): Promise<TurnEnd> => {
    turn = new CancellationScope();
    try {
      return await turn.run(() => runTurn(memory, turnEffects(memory)));
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { stopReason: 'stopped' };
    } finally {
      turn = undefined;
    }
  };
  try {
    return await live(memory, runInScope);
  } catch (error) {
    if (!isCancellation(error) || !root.consideredCancelled) throw error;
    // A cancel that came while the run was handed over: what its open turn waits for is settled.
    if (memory.state.running !== undefined) {
      const end = await runInScope();
      if (end !== 'hand_over') endTurn(memory, end);
    }
    return finishCancelled(memory);
  }
}

async function live(
  memory: Memory,
  runInScope: () => Promise<TurnEnd>,
): Promise<ConversationResult> {
  if (memory.state.spec.digest === '') await readSpec(memory);
  memory.show(memory.state.running === undefined ? 'waiting_input' : 'running');
  for (;;) {
    if (memory.state.running === undefined) {
      const idle = await waitForMessage(memory);
      if (idle === 'hand_over') {
        await handOver(memory);
        continue;
      }
      if (idle !== 'message') {
        const result = await finish(memory, idle);
        if (result !== undefined) return result;
        continue;
      }
      await beginTurn(memory);
    }
    const end = await runInScope();
    if (end === 'hand_over') {
      await handOver(memory);
      continue;
    }
    endTurn(memory, end);
    // A cancel that came while the turn ran has only interrupted it so far.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
    if (isOver(memory, end)) {
      const result = await finish(memory, end.stopReason, end.message);
      if (result !== undefined) return result;
    }
  }
}

/** A task is over with its turn, unless it answered and another message waits. */
function isOver({ state }: Memory, end: Exclude<TurnEnd, 'hand_over'>): boolean {
  if (state.mode === 'chat') return false;
  const waits = state.inbox.queued.length > 0 && !state.closing;
  return !(waits && meaningOf(end.stopReason) === 'completed');
}

async function waitForMessage(
  memory: Memory,
): Promise<'message' | 'idle' | 'closed' | 'hand_over'> {
  const due = () => handOverDue(memory) && memory.state.inbox.queued.length === 0;
  const idleSinceMs = memory.state.idleSinceMs ?? Date.now();
  memory.update({ idleSinceMs });
  for (;;) {
    const { closing, inbox, idleTimeoutMs } = memory.state;
    if (closing) return 'closed';
    if (inbox.queued.length > 0) return 'message';
    if (due()) return 'hand_over';
    const untilMs = idleSinceMs + idleTimeoutMs;
    if (Date.now() >= untilMs) return 'idle';
    memory.show('waiting_input', { untilMs });
    await condition(
      () => memory.state.closing || memory.state.inbox.queued.length > 0 || due(),
      untilMs - Date.now(),
      { summary: 'idle timeout' },
    );
  }
}

async function beginTurn(memory: Memory): Promise<void> {
  const turn = memory.state.turn + 1;
  if (turn > 1 && memory.state.spec.settings.onAgentChange === 'adopt') {
    await adoptSpec(memory, turn);
  }
  const taken = await takeTurn(memory);
  const { idleSinceMs: _, ...state } = memory.state;
  memory.state = {
    ...state,
    turn,
    step: 0,
    running: {
      startedAtMs: Date.now(),
      waitedMs: 0,
      truncatedInARow: 0,
      overflowCompacted: false,
      extensions: 0,
    },
  };
  enter(memory, taken);
}

function endTurn(memory: Memory, end: Exclude<TurnEnd, 'hand_over'>): void {
  const { running, ...state } = memory.state;
  memory.state = {
    ...state,
    lastTurn: {
      turn: state.turn,
      stopReason: end.stopReason,
      ...(end.message === undefined ? {} : { message: end.message.slice(0, MAX_WHY_CHARACTERS) }),
      text: running?.text ?? '',
    },
  };
  if (end.stopReason === 'stopped') {
    const by = memory.stop?.by === undefined ? '' : ` by ${memory.stop.by.id}`;
    const why = memory.stop?.reason === undefined ? '' : `: ${memory.stop.reason}`;
    const text = `[The turn was interrupted${by}${why}.]`;
    memory.note('stopped', text, new Date().toISOString(), { shown: true });
  } else if (meaningOf(end.stopReason) !== 'completed') {
    const why = end.message === undefined ? '' : `: ${end.message}`;
    memory.note('turn_ended', `${end.stopReason}${why}`, new Date().toISOString());
  }
  memory.stop = undefined;
}

function turnEffects(memory: Memory): TurnEffects {
  const due = () => handOverDue(memory);
  return {
    completeModel: (request) => completeModel(memory, request, due),
    compact: (reason) => compact(memory, reason),
    takeSteering: () => takeMessages(memory, 'steer'),
    askForMore: (limit) => askForMore(memory, limit, due),
    handOverDue: due,
    nowMs: () => Date.now(),
    runBatch: (batch) =>
      runBatch(memory, batch, {
        runCall: (call, edited) => runCall(memory, call, edited),
        waitForDecisions: (keys, onDecision) =>
          gate(memory, { keys, onDecision, handOverDue: due }),
        nowMs: () => Date.now(),
      }),
  };
}

function initialState(argument: unknown): ConversationState {
  const { workflowType, runId, continuedFromExecutionRunId } = workflowInfo();
  if (continuedFromExecutionRunId !== undefined) {
    const resumed = readResumed(argument, runId);
    if (resumed !== undefined) return resumed;
  }
  const born = begin(argument, {
    agent: workflowType,
    run: runId,
    at: new Date().toISOString(),
  });
  if ('state' in born) return born.state;
  throw ApplicationFailure.create({
    message: `this is no start argument: ${born.problems.join('; ')}`.slice(0, 2_000),
    type: 'InvalidStart',
    nonRetryable: true,
    details: [{ problems: born.problems.map((problem) => problem.slice(0, 500)) }],
  });
}
