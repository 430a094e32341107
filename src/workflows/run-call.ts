import { sleep } from '@temporalio/workflow';
import type { CallInput, CallOutput } from '../core/activity-shapes.ts';
import type { EditedInput } from '../core/approval.ts';
import { positionOfKey, type PlannedCall } from '../core/call.ts';
import type { SettledCall } from '../core/conversation-state.ts';
import type { EffectState } from '../core/effect.ts';
import { isJsonObject } from '../core/json.ts';
import { activityIds } from '../core/names.ts';
import type { Outcome } from '../core/outcome.ts';
import { toolRetryDelayMs } from '../core/retry-delay.ts';
import { settleBy, settleWithout } from '../core/settle-call.ts';
import { DEFAULT_RETRY } from '../core/spec.ts';
import { type AttemptFailure, describeFailure } from './describe-failure.ts';
import { keyRenewal } from './key-renewal.ts';
import { followLostAttempt, unlessRead } from './lost-attempt.ts';
import type { Memory } from './memory.ts';
import { RUNTIME_RESERVE_MS, schedule } from './schedule.ts';

/** How long a tool with a task queue of its own waits for a worker that polls it. */
const OWN_QUEUE_PATIENCE_MS = 5 * 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

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
  let unknownForMs = 0;
  for (let n = 1; ; n++) {
    const activityId = activityIds.rerun(baseId, n);
    const input = callInput(memory, call, edited, n);
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
      return settleBy(activityId, output);
    } catch (error) {
      const failure = describeFailure(error);
      const settled = (outcome: Outcome) => settleWithout(call, place, outcome);
      switch (failure.kind) {
        case 'cancelled':
          return settled(cancelled(call, lost));
        case 'not_known_here': {
          const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(n - 1, 10), LONGEST_WAIT_MS);
          if (unknownForMs >= failure.patienceMs) {
            return settled({ outcome: 'unknown_tool', effect: 'none', message: failure.message });
          }
          unknownForMs += waitMs;
          if (!(await waited(memory, waitMs, failure.message)))
            return settled(cancelled(call, lost));
          break;
        }
        case 'store_unavailable': {
          const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(n - 1, 10), LONGEST_WAIT_MS);
          if (!(await waited(memory, waitMs, failure.message)))
            return settled(cancelled(call, lost));
          break;
        }
        case 'transient': {
          transient += 1;
          const delayMs = toolRetryDelayMs(call.retry ?? DEFAULT_RETRY, transient);
          if (delayMs === undefined || call.effect === 'once')
            return settled(transientOutcome(call, failure));
          if (!(await slept(delayMs, `${call.tool} again`))) return settled(cancelled(call, lost));
          break;
        }
        case 'no_worker':
          return settled({
            outcome: 'timeout',
            effect: lost > 0 ? unlessRead(call) : 'none',
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
          });
          if (after !== 'again') return after;
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
  edited: EditedInput | undefined,
  attempt: number,
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
    ...(call.usesState === true ? { state: shared.state } : {}),
    ...(segment === null ? {} : { segment }),
  };
}

function cancelled(call: PlannedCall, lost: number): Outcome {
  if (call.completion === 'later') {
    const message = 'The service that was to complete it was not asked.';
    return { outcome: 'cancelled', effect: unlessRead(call), message };
  }
  return {
    outcome: 'cancelled',
    effect: lost > 0 ? unlessRead(call) : 'none',
    message: lost > 0 ? 'An attempt was lost before that.' : 'It had not begun.',
  };
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

/** False when the turn was stopped meanwhile. */
async function slept(ms: number, summary: string): Promise<boolean> {
  try {
    await sleep(ms, { summary });
    return true;
  } catch {
    return false;
  }
}

async function waited(memory: Memory, ms: number, why: string): Promise<boolean> {
  const { status } = memory;
  memory.show('waiting_worker', { for: why, untilMs: Date.now() + ms });
  const done = await slept(ms, 'waiting for a worker that knows the tool');
  memory.show(status === 'waiting_worker' ? 'running' : status);
  return done;
}
