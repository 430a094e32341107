import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';

/** A workflow task that keeps failing, and the history that it is about. */
export interface StuckTask {
  readonly runId: string;
  /** How often it was tried. */
  readonly attempt: number;
  /** Why it failed first, in the worker's words. */
  readonly reason: string;
  readonly history: History;
}

/** Signals and updates that came after the point of a reset are applied again. */
const REAPPLY_ALL = 3;
/** A reset ends the task at its point as failed, too. */
const RESET = 20;

/** The failing workflow task of the newest run; undefined when none fails. */
export async function findStuckTask(
  client: Client,
  workflowId: string,
): Promise<StuckTask | undefined> {
  const { runId, raw } = await client.workflow.getHandle(workflowId).describe();
  const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
  if (attempt < 2) return undefined;
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  // Only the first failure is an event; a lost worker leaves none.
  const last = history.events?.findLast(
    ({
      workflowTaskCompletedEventAttributes: completed,
      workflowTaskFailedEventAttributes: failed,
    }) => completed ?? failed,
  )?.workflowTaskFailedEventAttributes;
  if (!last || last.cause === RESET) return undefined;
  return { runId, attempt, reason: last.failure?.message ?? 'without a message', history };
}

/**
 * Lets a conversation go on anew from a workflow task: the server ends its run, and begins another
 * with the history up to there, to which it applies all later signals and updates.
 * @returns the new run's id
 */
export async function resetTo(
  client: Client,
  workflowId: string,
  { runId, history }: StuckTask,
  { eventId, reason }: { readonly eventId: number; readonly reason: string },
): Promise<string> {
  const task = history.events?.find((event) => Number(event.eventId) === eventId);
  const response = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: task?.eventId ?? null,
    requestId: randomUUID(),
    resetReapplyType: REAPPLY_ALL,
    reason,
  });
  return response.runId;
}
