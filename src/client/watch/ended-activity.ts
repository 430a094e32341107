import {
  callInputOf,
  callOutputOf,
  turnAndStepOf,
} from '../../activities/transcript/entries-of-events.ts';
import type { ModelOutput } from '../../core/activity-shapes.ts';
import { isJsonObject } from '../../core/json.ts';
import { ACTIVITIES } from '../../core/names.ts';
import { resultEntryOf } from '../../core/result-entry.ts';
import type { HistoryEvent } from './follow-history.ts';
import type { Recorded } from './recorded.ts';

/** An activity that was scheduled and has not ended. */
export interface OpenActivity {
  readonly activityId: string;
  readonly activityType: string;
  readonly input: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the end of an activity means for the conversation. */
export function endedActivity(
  activity: OpenActivity,
  event: HistoryEvent,
  output: unknown,
  ms: number,
): readonly Recorded[] {
  if (!event.activityTaskCompletedEventAttributes) return [failedAttempt(activity, event, ms)];
  if (activity.activityType === ACTIVITIES.model) return completion(activity, output, ms);
  return result(activity, output, ms);
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

function failedAttempt(activity: OpenActivity, event: HistoryEvent, ms: number): Recorded {
  const { activityId, activityType, input } = activity;
  const key = callInputOf(input)?.key;
  return {
    type: 'attempt_failed',
    activityId,
    activityType,
    ...(key === undefined ? {} : { key }),
    attempt: attemptNumber(activityId),
    failure: failureOf(event),
    ms,
  };
}

function failureOf(event: HistoryEvent): { readonly type: string; readonly message: string } {
  if (event.activityTaskCanceledEventAttributes) {
    return { type: 'Cancelled', message: 'the attempt was cancelled' };
  }
  const failure =
    event.activityTaskFailedEventAttributes?.failure ??
    event.activityTaskTimedOutEventAttributes?.failure;
  const type = failure?.applicationFailureInfo?.type;
  return {
    type: type ? type : event.activityTaskTimedOutEventAttributes ? 'Timeout' : 'Failed',
    message: failure?.message ?? '',
  };
}

/** The n of `3.2.0#n`, from 1. */
function attemptNumber(activityId: string): number {
  const n = /#(\d+)$/.exec(activityId)?.[1];
  return n === undefined ? 1 : Number(n);
}
