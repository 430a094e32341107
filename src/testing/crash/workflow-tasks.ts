import type { Client } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import type { ConversationRecord } from '../../client/index.ts';
import { RAN_AHEAD } from '../../core/ran-ahead.ts';

/** `TIMEOUT_TYPE_START_TO_CLOSE`: a task that no worker had begun times out by another type. */
const START_TO_CLOSE = 1;
type HistoryEvent = NonNullable<History['events']>[number];

/** Causes that are no fault: something came meanwhile (UnhandledCommand, UnhandledUpdate), or a reset. */
const ORDINARY = new Set([1, 31, 20]);

/**
 * Workflow tasks of a conversation that failed, in words: each is a fault of workflow code. A killed
 * worker's task does not fail, it times out. Of several failures in a row history has the first.
 */
export function failedTasks(events: readonly HistoryEvent[]): readonly string[] {
  return events.flatMap(({ eventId, workflowTaskFailedEventAttributes: failed }) => {
    if (!failed || ORDINARY.has(Number(failed.cause))) return [];
    if (failed.failure?.message === RAN_AHEAD) return [];
    return [
      `event ${String(eventId)}, cause ${failed.cause}: ${failed.failure?.message ?? 'no message'}`,
    ];
  });
}

/** When the server gave up workflow tasks whose worker had begun them, milliseconds since 1970. */
export function lostTasks(events: readonly HistoryEvent[]): readonly number[] {
  return events.flatMap(({ eventTime, workflowTaskTimedOutEventAttributes: timedOut }) =>
    Number(timedOut?.timeoutType) === START_TO_CLOSE
      ? [optionalTsToDate(eventTime)?.getTime() ?? 0]
      : [],
  );
}

/** The events of all runs of a conversation. */
export async function eventsOf(
  client: Client,
  { workflowId, runs }: Pick<ConversationRecord, 'workflowId' | 'runs'>,
): Promise<readonly HistoryEvent[]> {
  const histories = await Promise.all(
    runs.map((run) => client.workflow.getHandle(workflowId, run).fetchHistory()),
  );
  return histories.flatMap(({ events }) => events ?? []);
}

/** Where the workflow task stands of a conversation that has not ended. */
export async function pendingTask(client: Client, workflowId: string): Promise<string> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const { pendingWorkflowTask: task, pendingActivities } = raw;
  const activities = (pendingActivities ?? []).map(({ activityId }) => activityId ?? '');
  const tasks = task ? `a workflow task at attempt ${task.attempt ?? 1}` : 'no workflow task';
  return `${tasks} and ${activities.length === 0 ? 'no activity' : `activities ${activities.join(', ')}`} open`;
}
