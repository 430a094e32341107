import { workflowInfo } from '@temporalio/workflow';
import type { OpenBatch } from '../core/conversation-state.ts';

const RUN_ID_CHARACTERS = 8;

/**
 * What ends the idempotency keys of calls that are scheduled in this run: nothing, except after a
 * workflow reset. That is an order to repeat, also for calls that were planned before it.
 */
export function keyRenewal(batch: OpenBatch | undefined): string | undefined {
  const { runId, originalExecutionRunId } = workflowInfo();
  if (runId !== originalExecutionRunId) return `~${runId.slice(-RUN_ID_CHARACTERS)}`;
  return batch?.keyRenewal;
}
