import type { Payload } from '@temporalio/common';
import type { HistoryEvent } from './history-source.ts';
import type { PayloadDecoder } from './payload-decoder.ts';
import type { RunLocation } from './transcript-reader.ts';

/** A completed activity as history has it, its payloads still encoded. */
export interface RecordedActivity {
  readonly activityId: string;
  readonly activityType: string;
  readonly input: readonly Payload[];
  readonly output: readonly Payload[];
}

/** A completed activity, its first argument and its result decoded. */
export interface DecodedActivity {
  readonly activityId: string;
  readonly activityType: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * Brings completions and schedulings together, which may stand on different pages. Takes pages
 * newest first; gives the completed activities whose scheduling was on that page, newest first.
 */
export function pairActivities(): (events: readonly HistoryEvent[]) => readonly RecordedActivity[] {
  const outputs = new Map<string, readonly Payload[]>();
  return (events) => {
    const activities: RecordedActivity[] = [];
    for (const event of events) {
      const completed = event.activityTaskCompletedEventAttributes;
      if (completed) {
        outputs.set(String(completed.scheduledEventId), completed.result?.payloads ?? []);
        continue;
      }
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (!scheduled) continue;
      const output = outputs.get(String(event.eventId));
      if (output === undefined) continue;
      outputs.delete(String(event.eventId));
      activities.push({
        activityId: scheduled.activityId ?? '',
        activityType: scheduled.activityType?.name ?? '',
        input: scheduled.input?.payloads ?? [],
        output,
      });
    }
    return activities;
  };
}

export async function decodeActivity(
  decode: PayloadDecoder,
  run: RunLocation,
  activity: RecordedActivity,
): Promise<DecodedActivity> {
  const context = {
    type: 'activity',
    namespace: run.namespace,
    workflowId: run.workflowId,
    activityId: activity.activityId,
    isLocal: false,
  } as const;
  const [input, output] = await Promise.all([
    decode(activity.input, context),
    decode(activity.output, context),
  ]);
  return {
    activityId: activity.activityId,
    activityType: activity.activityType,
    input: input[0],
    output: output[0],
  };
}
