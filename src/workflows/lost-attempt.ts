import { patched } from '@temporalio/workflow';
import type { CallInput, ReconcileOutput } from '../core/activity-shapes.ts';
import { afterLostAttempt, MAX_LOST_ATTEMPTS, mayRepeatOnce } from '../core/after-lost-attempt.ts';
import { positionOfKey, type PlannedCall } from '../core/call.ts';
import { isCallOutput } from '../core/call-output.ts';
import type { SettledCall } from '../core/conversation-state.ts';
import type { EffectState } from '../core/effect.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import type { Outcome } from '../core/outcome.ts';
import { settleBy, settleWithout } from '../core/settle-call.ts';
import { describeFailure } from './describe-failure.ts';
import type { Memory } from './memory.ts';
import { isUndecodable } from './payload-converter.ts';
import { OWN_QUEUE_PATIENCE_MS, RUNTIME_RESERVE_MS, schedule } from './schedule.ts';
import { waitBeforeTry } from './wait-before-try.ts';
import { LONGEST_WAIT_FOR_WORKER_MS, waitForWorker } from './wait-for-worker.ts';

/** Before it, a worker or a store that was away for a moment left the outcome unknown. */
const PATIENT_RECONCILE = 'patient-reconcile';

export interface LostCall {
  readonly call: PlannedCall;
  /** Of the attempt that was lost. */
  readonly input: CallInput;
  readonly provedEnded: boolean;
  readonly lost: number;
  readonly message: string;
  /** Number of the last reconcile of this call. */
  readonly reconciles: { count: number };
}

/**
 * What follows a lost attempt (design §4): another one, or the call's result. A `once` call is
 * repeated only when its tool says that it was not done and its attempt can no longer act.
 */
export async function followLostAttempt(
  memory: Memory,
  lostCall: LostCall,
): Promise<SettledCall | 'again'> {
  const { call, provedEnded, lost, message } = lostCall;
  const place = positionOfKey(call.key);
  const attempt = { effect: call.effect, provedEnded, reconciles: call.reconciles === true, lost };
  switch (afterLostAttempt(attempt)) {
    case 'again':
      return 'again';
    case 'tool_failed':
      return settleWithout(call, place, {
        outcome: 'tool_failed',
        effect: 'none',
        message: `It was given up after ${MAX_LOST_ATTEMPTS} lost attempts: ${message}.`,
      });
    case 'outcome_unknown':
      return settleWithout(call, place, outcomeUnknown(lost, message));
    case 'reconcile': {
      const answer = await reconcile(memory, lostCall);
      if (answer === undefined) return settleWithout(call, place, outcomeUnknown(lost, message));
      if (answer.output.status === 'done') return settleBy(answer.activityId, answer.output.output);
      if (answer.output.status === 'not_done' && mayRepeatOnce(attempt)) return 'again';
      return settleWithout(call, place, outcomeUnknown(lost, message));
    }
  }
}

/** Asks the tool what happened; undefined when it could not be asked. */
async function reconcile(
  memory: Memory,
  { call, input, reconciles }: LostCall,
): Promise<{ readonly output: ReconcileOutput; readonly activityId: string } | undefined> {
  const place = positionOfKey(call.key);
  const id = activityIds.reconcile(activityIds.call(place.turn, place.step, call.index));
  // Each lost attempt has reconciles of its own: the ids of one call's must differ.
  reconciles.count = Math.max(reconciles.count, (input.attempt - 1) * MAX_LOST_ATTEMPTS);
  let lost = 0;
  let unknownForMs = 0;
  for (let n = 1; ; n++) {
    reconciles.count += 1;
    const activityId = activityIds.rerun(id, reconciles.count);
    try {
      const output = await schedule<ReconcileOutput>(memory, {
        type: ACTIVITIES.reconcile,
        activityId,
        input,
        summary: `what happened to ${call.tool}?`,
        taskQueue: call.taskQueue,
        ...(call.taskQueue === undefined ? {} : { scheduleToStartMs: OWN_QUEUE_PATIENCE_MS }),
        startToCloseMs: call.timeout + RUNTIME_RESERVE_MS,
        onCancel: 'wait',
      });
      // Another worker may be able to read it: the task fails until one does.
      if (isUndecodable(output)) throw new Error(`the answer about ${call.key} cannot be decoded`);
      // It may have been completed from outside, with whatever it was.
      const isDone = output?.status === 'done' && isCallOutput(output.output);
      return isDone || output?.status === 'not_done' ? { output, activityId } : undefined;
    } catch (error) {
      const failure = describeFailure(error);
      const couldNotAsk = failure.kind === 'not_known_here' || failure.kind === 'store_unavailable';
      if (couldNotAsk && patched(PATIENT_RECONCILE)) {
        const waitMs = waitBeforeTry(n, LONGEST_WAIT_FOR_WORKER_MS);
        if (failure.kind === 'not_known_here') {
          if (unknownForMs >= failure.patienceMs) return undefined;
          unknownForMs += waitMs;
        }
        if (!(await waitForWorker(memory, waitMs, failure.message))) return undefined;
        continue;
      }
      lost += 1;
      const again = ['lost', 'start_to_close', 'store_unavailable'].includes(failure.kind);
      if (!again || lost >= MAX_LOST_ATTEMPTS) return undefined;
    }
  }
}

/** What may have happened when an attempt ended without a word. */
export function unlessRead(call: PlannedCall): EffectState {
  return call.effect === 'read' ? 'none' : 'unknown';
}

function outcomeUnknown(lost: number, message: string): Outcome {
  const attempts = lost === 1 ? 'its attempt was lost' : `${lost} attempts were lost`;
  return { outcome: 'outcome_unknown', effect: 'unknown', message: `${attempts}: ${message}.` };
}
