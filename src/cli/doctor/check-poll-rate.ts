import { randomUUID } from 'node:crypto';
import type { ConnectionLike } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'poll rates';
/** The server answers a burst of 20 at once even with its defaults: those rounds say nothing. */
const BURST = 25;
const MEASURED = 25;
/** A server with the defaults takes 50 ms a round, one with ours under 20. */
const SLOW_MS = 35;
const TIME_LIMIT_MS = 20_000;
/** Ends the workflow where it could not be removed. */
const EXECUTION_LIMIT_MS = 60_000;

/**
 * Measures how fast the server hands out workflow tasks: one workflow on a task queue of its own is
 * signalled again and again, and polled as a worker would. With the server's defaults each task
 * waits for the next of 20 polls a second. The workflow is deleted afterwards.
 */
export async function checkPollRate(
  connection: ConnectionLike,
  namespace: string,
): Promise<Finding> {
  const id = `perdure-doctor-${randomUUID()}`;
  const execution = { workflowId: id };
  const { workflowService } = connection;
  try {
    return await connection.withDeadline(Date.now() + TIME_LIMIT_MS, async () => {
      const callMs = await timeOfCall(connection);
      const taskQueue = { name: id };
      await workflowService.startWorkflowExecution({
        namespace,
        workflowId: id,
        workflowType: { name: 'perdure-doctor' },
        taskQueue,
        requestId: randomUUID(),
        workflowExecutionTimeout: msToTs(EXECUTION_LIMIT_MS),
      });
      const rounds: number[] = [];
      for (let round = 0; round < BURST + MEASURED; round++) {
        const startedAt = performance.now();
        const { taskToken } = await workflowService.pollWorkflowTaskQueue({ namespace, taskQueue });
        await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken });
        await workflowService.signalWorkflowExecution({
          namespace,
          workflowExecution: execution,
          signalName: 'again',
          requestId: randomUUID(),
        });
        if (round >= BURST) rounds.push(performance.now() - startedAt);
      }
      // The lower quartile: a busy machine makes some rounds slow, the limit makes nearly all slow.
      const roundMs = rounds.sort((a, b) => a - b)[Math.floor(MEASURED / 4)] ?? 0;
      return finding(roundMs, callMs);
    });
  } catch (error) {
    return { check: CHECK, verdict: 'skipped', detail: `not measured (${oneLine(error)})` };
  } finally {
    await remove(connection, namespace, execution);
  }
}

async function timeOfCall({ workflowService }: ConnectionLike): Promise<number> {
  const rounds = 5;
  const startedAt = Date.now();
  for (let round = 0; round < rounds; round++) await workflowService.getSystemInfo({});
  return (Date.now() - startedAt) / rounds;
}

function finding(roundMs: number, callMs: number): Finding {
  const measured = `${roundMs.toFixed(0)} ms for a workflow task, ${callMs.toFixed(1)} ms for a call`;
  // Three calls a round: what they cost on a far server is not the server's fault.
  if (roundMs - 3 * callMs < SLOW_MS) return { check: CHECK, verdict: 'ok', detail: measured };
  return {
    check: CHECK,
    verdict: 'warning',
    detail: `${measured}: a step is several times slower than it need be`,
    mend:
      'set history.transferProcessorMaxPollRPS, history.timerProcessorMaxPollRPS and ' +
      "history.visibilityProcessorMaxPollRPS to 2000 in the server's dynamic configuration",
  };
}

async function remove(
  { workflowService }: ConnectionLike,
  namespace: string,
  workflowExecution: { readonly workflowId: string },
): Promise<void> {
  try {
    await workflowService.terminateWorkflowExecution({
      namespace,
      workflowExecution,
      reason: 'measured',
    });
    await workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  } catch {
    // Not started, or the server does not delete: it ends by its timeout.
  }
}
