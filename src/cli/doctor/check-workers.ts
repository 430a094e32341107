import type { PerdureClient } from '../../client/perdure-client.ts';
import { count } from '../words.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'workers';
const WORKFLOW_TASKS = 1;

/** Whether anybody polls the task queue. */
export async function checkWorkers(client: PerdureClient): Promise<Finding> {
  try {
    const pollers = await countPollers(client);
    return pollers > 0
      ? {
          check: CHECK,
          verdict: 'ok',
          detail: `${count(pollers, 'worker')} on "${client.taskQueue}"`,
        }
      : {
          check: CHECK,
          verdict: 'warning',
          detail: `nobody polls task queue "${client.taskQueue}": conversations wait`,
          mend: 'perdure worker, or perdure dev',
        };
  } catch (error) {
    return { check: CHECK, verdict: 'skipped', detail: oneLine(error) };
  }
}

/** Workers that polled the client's task queue within the last minutes. */
export async function countPollers({
  temporal,
  namespace,
  taskQueue,
}: PerdureClient): Promise<number> {
  const { pollers } = await temporal.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_TASKS,
  });
  return new Set((pollers ?? []).map(({ identity }) => identity)).size;
}
