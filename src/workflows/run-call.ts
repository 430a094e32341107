import type { CallInput, CallOutput } from '../core/activity-shapes.ts';
import type { EditedInput } from '../core/approval.ts';
import { isCallOutput } from '../core/call-output.ts';
import { positionOfKey, type PlannedCall } from '../core/call.ts';
import type { SettledCall } from '../core/conversation-state.ts';
import { effectAfter, type EffectState } from '../core/effect.ts';
import { isJsonObject } from '../core/json.ts';
import { activityIds } from '../core/names.ts';
import type { Outcome } from '../core/outcome.ts';
import { toolRetryDelayMs } from '../core/retry-delay.ts';
import { settleBy, settleWithout } from '../core/settle-call.ts';
import { DEFAULT_RETRY } from '../core/spec.ts';
import { previewOf } from '../core/stored.ts';
import { type AttemptFailure, describeFailure } from './describe-failure.ts';
import { keyRenewal } from './key-renewal.ts';
import { followLostAttempt, unlessRead } from './lost-attempt.ts';
import type { Memory } from './memory.ts';
import { isUndecodable } from './payload-converter.ts';
import { OWN_QUEUE_PATIENCE_MS, RUNTIME_RESERVE_MS, schedule } from './schedule.ts';
import { waitBeforeTry } from './wait-before-try.ts';
import { LONGEST_WAIT_FOR_WORKER_MS, slept, waitForWorker } from './wait-for-worker.ts';

/**
 * Runs one call until it is settled: schedules an attempt, and decides by the tool's effect what
 * follows a failed or lost one (design §4). Never throws.
 */
export async function runCall(
  memory: Memory,
  call: PlannedCall,
  edited: EditedInput | undefined,
): Promise<SettledCall> {
  const place = positionOfKey(call.key);
  const baseId = activityIds.call(place.turn, place.step, call.index);
  let lost = 0;
  let transient = 0;
  // What the attempts before this one may have done.
  let earlier: EffectState | undefined;
  let unknownForMs = 0;
  const reconciles = { count: 0 };
  for (let n = 1; ; n++) {
    const activityId = activityIds.rerun(baseId, n);
    const input = callInput(memory, call, { edited, attempt: n, earlier });
    try {
      const output = await schedule<CallOutput>(memory, {
        type: call.tool,
        activityId,
        input,
        summary: call.summary,
        taskQueue: call.taskQueue,
        startToCloseMs: call.timeout + RUNTIME_RESERVE_MS,
        ...(call.taskQueue === undefined ? {} : { scheduleToStartMs: OWN_QUEUE_PATIENCE_MS }),
        ...(call.completion === 'later' ? { heartbeat: 'none' as const } : {}),
        // Nobody acknowledges a stop for a call that was handed out.
        onCancel: call.completion === 'later' ? 'try' : 'wait',
      });
      return isCallOutput(output)
        ? settleBy(activityId, output)
        : settleWithout(call, place, foreignOutcome(call, output));
    } catch (error) {
      const failure = describeFailure(error);
      const settled = (outcome: Outcome) => settleWithout(call, place, outcome);
      switch (failure.kind) {
        case 'cancelled':
          return settled(cancelled(call, earlier));
        case 'not_known_here': {
          const waitMs = waitBeforeTry(n, LONGEST_WAIT_FOR_WORKER_MS);
          if (unknownForMs >= failure.patienceMs) {
            const { message } = failure;
            return settled({ outcome: 'unknown_tool', effect: earlier ?? 'none', message });
          }
          unknownForMs += waitMs;
          if (!(await waitForWorker(memory, waitMs, failure.message)))
            return settled(cancelledBetween(earlier));
          break;
        }
        case 'store_unavailable': {
          const waitMs = waitBeforeTry(n, LONGEST_WAIT_FOR_WORKER_MS);
          if (!(await waitForWorker(memory, waitMs, failure.message)))
            return settled(cancelledBetween(earlier));
          break;
        }
        case 'transient': {
          transient += 1;
          const delayMs = toolRetryDelayMs(call.retry ?? DEFAULT_RETRY, transient);
          const outcome = transientOutcome(call, failure);
          earlier = effectAfter(earlier, outcome.effect);
          if (delayMs === undefined || call.effect === 'once')
            return settled({ ...outcome, effect: earlier });
          if (!(await slept(delayMs, `${call.tool} again`)))
            return settled(cancelledBetween(earlier));
          break;
        }
        case 'no_worker':
          return settled({
            outcome: 'timeout',
            effect: earlier ?? 'none',
            message: `No worker took the call from task queue "${call.taskQueue}" within ${OWN_QUEUE_PATIENCE_MS / 1000} s.`,
          });
        case 'start_to_close':
        case 'second_start':
        case 'lost': {
          if (failure.kind === 'start_to_close' && call.completion === 'later') {
            const message = `Nobody completed it within ${call.timeout} ms.`;
            return settled({ outcome: 'timeout', effect: unlessRead(call), message });
          }
          // A deploy may interrupt a long call any number of times: only other losses are counted.
          if (!(failure.kind === 'lost' && failure.shutdown)) lost += 1;
          const after = await followLostAttempt(memory, {
            call,
            input,
            provedEnded: failure.kind === 'lost' && failure.provedEnded,
            lost,
            message: failure.message,
            reconciles,
          });
          if (after !== 'again') return after;
          // A once call is repeated only when its tool says that nothing was done.
          earlier = effectAfter(earlier, call.effect === 'once' ? 'none' : unlessRead(call));
          break;
        }
        case 'model':
        case 'failed':
          return settled({
            outcome: 'tool_failed',
            effect: unlessRead(call),
            message: `${failure.type}: ${failure.message}`.slice(0, 2_000),
          });
      }
    }
  }
}

function callInput(
  memory: Memory,
  call: PlannedCall,
  {
    edited,
    attempt,
    earlier,
  }: {
    readonly edited: EditedInput | undefined;
    readonly attempt: number;
    readonly earlier: EffectState | undefined;
  },
): CallInput {
  const { spec, segment, shared, batch } = memory.state;
  const renewal = keyRenewal(batch);
  return {
    spec: spec.digest,
    key: call.key,
    ...(renewal === undefined ? {} : { keyRenewal: renewal }),
    callId: call.callId,
    tool: call.tool,
    input: edited?.input ?? call.input,
    ...(edited === undefined
      ? {}
      : { edited: { originalDigest: edited.originalDigest, by: edited.by } }),
    attempt,
    ...(earlier === undefined || earlier === 'none' ? {} : { earlier }),
    ...(call.usesState === true ? { state: shared.state } : {}),
    ...(segment === null ? {} : { segment }),
  };
}

function cancelled(call: PlannedCall, earlier: EffectState | undefined): Outcome {
  if (call.completion !== 'later') return cancelledBetween(earlier);
  const message = 'The service that was to complete it was not asked.';
  return { outcome: 'cancelled', effect: unlessRead(call), message };
}

/** @param earlier what earlier attempts may have done; undefined: there was none */
function cancelledBetween(earlier: EffectState | undefined): Outcome {
  return {
    outcome: 'cancelled',
    effect: earlier ?? 'none',
    message: earlier === undefined ? 'It had not begun.' : 'An attempt had failed before that.',
  };
}

/** Somebody else completed the activity: what the call did, nobody here can say. */
function foreignOutcome(call: PlannedCall, output: unknown): Outcome {
  // Another worker may be able to read it: the task fails until one does.
  if (isUndecodable(output)) throw new Error(`the result of ${call.key} cannot be decoded here`);
  const said = previewOf(JSON.stringify(output) ?? 'nothing');
  const message = `It was completed from outside with what is no result of a call: ${said}`;
  return { outcome: 'invalid_output', effect: unlessRead(call), message };
}

/** What the call settles to when its retries are used up: its runtime said so. */
function transientOutcome(
  call: PlannedCall,
  failure: AttemptFailure & { kind: 'transient' },
): Outcome {
  const reported = isJsonObject(failure.details) ? failure.details['outcome'] : undefined;
  const { outcome, effect, message } = isJsonObject(reported) ? reported : {};
  return {
    outcome: outcome === 'tool_error' ? 'tool_error' : 'tool_failed',
    effect: isEffectState(effect) ? effect : unlessRead(call),
    message: typeof message === 'string' ? message : failure.message,
  };
}

function isEffectState(value: unknown): value is EffectState {
  return value === 'none' || value === 'happened' || value === 'unknown';
}
