import type { Info } from '@temporalio/activity';
import type { RunLocation } from './transcript/transcript-reader.ts';

/** Which run an activity belongs to. Throws for an activity that no workflow scheduled. */
export function runLocation(
  info: Pick<Info, 'activityType' | 'namespace' | 'workflowExecution'>,
): RunLocation {
  const { activityType, namespace, workflowExecution } = info;
  if (workflowExecution === undefined) {
    throw new Error(
      `expected ${activityType} to be scheduled by a conversation's workflow, it was started on its own`,
    );
  }
  const { workflowId, runId } = workflowExecution;
  return { namespace, workflowId, runId };
}
