import {
  callInputOf,
  callOutputOf,
  turnAndStepOf,
} from '../../activities/transcript/entries-of-events.ts';
import type { RecordedFailure } from '../../activities/transcript/recorded-event.ts';
import type { ModelOutput } from '../../core/activity-shapes.ts';
import { isJsonObject } from '../../core/json.ts';
import { ACTIVITIES } from '../../core/names.ts';
import { resultEntryOf } from '../../core/result-entry.ts';
import type { Recorded } from './recorded.ts';

/** An activity that was scheduled and has not ended. */
export interface OpenActivity {
  readonly activityId: string;
  readonly activityType: string;
  readonly input: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the result of an activity means for the conversation. */
export function completedActivity(
  activity: OpenActivity,
  output: unknown,
  ms: number,
): readonly Recorded[] {
  return activity.activityType === ACTIVITIES.model
    ? completion(activity, output, ms)
    : result(activity, output, ms);
}

export function failedAttempt(
  { activityId, activityType, input }: OpenActivity,
  failure: RecordedFailure,
  ms: number,
): Recorded {
  const key = callInputOf(input)?.key;
  return {
    type: 'attempt_failed',
    activityId,
    activityType,
    ...(key === undefined ? {} : { key }),
    attempt: attemptNumber(activityId),
    failure,
    ms,
  };
}

function completion(
  { activityId }: OpenActivity,
  output: unknown,
  ms: number,
): readonly Recorded[] {
  const place = turnAndStepOf(activityId);
  if (place === undefined || !isJsonObject(output) || !Array.isArray(output['plan'])) return [];
  const { model, text, stopReason, usage, cost, plan } = output as unknown as ModelOutput;
  return [
    {
      type: 'completion',
      activityId,
      ...place,
      model,
      ...(text === undefined ? {} : { text }),
      stopReason,
      usage,
      ...(cost === undefined ? {} : { cost }),
      plan,
      ms,
    },
  ];
}

/** A settled call. Other activities of ours have nothing to show. */
function result(activity: OpenActivity, output: unknown, ms: number): readonly Recorded[] {
  const { activityId } = activity;
  const call = callInputOf(activity.input);
  const settled = callOutputOf({ ...activity, output });
  if (call === undefined || settled === undefined) return [];
  const worker = settled.worker === undefined ? {} : { worker: settled.worker };
  try {
    const entry = resultEntryOf(call, settled);
    return [{ type: 'result', activityId, entry, attempt: call.attempt, ...worker, ms }];
  } catch {
    // A key that is none of ours: somebody else's activity under such an input.
    return [];
  }
}

/** The n of `3.2.0#n`, from 1. */
function attemptNumber(activityId: string): number {
  const n = /#(\d+)$/.exec(activityId)?.[1];
  return n === undefined ? 1 : Number(n);
}
