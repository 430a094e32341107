import type { PerdureClient } from '../../client/perdure-client.ts';
import type { ModelQueue, PerdureConfig } from '../../define-config.ts';
import { count } from '../words.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'model queues';
const ACTIVITY_TASKS = 2;

/** Task queues that models have of their own: their limits, who serves them, and what waits there. */
export async function checkModelQueues(
  client: PerdureClient,
  { agents, models = {} }: PerdureConfig,
): Promise<readonly Finding[]> {
  const known = new Set(agents.flatMap((agent) => agent.models.map(({ id }) => id)));
  return Promise.all(
    Object.entries(models).map(async ([model, queue]): Promise<Finding> => {
      const detail = `${model} on "${queue.taskQueue}"${limitsOf(queue)}`;
      if (!known.has(model)) {
        const mend = `they have ${[...known].join(', ')}`;
        return {
          check: CHECK,
          verdict: 'warning',
          detail: `no agent has the model ${model}`,
          mend,
        };
      }
      try {
        return await served(client, queue, detail);
      } catch (error) {
        return { check: CHECK, verdict: 'skipped', detail: `${detail}; ${oneLine(error)}` };
      }
    }),
  );
}

async function served(
  { temporal, namespace }: PerdureClient,
  { taskQueue, maxPerSecond }: ModelQueue,
  detail: string,
): Promise<Finding> {
  const { pollers, stats, effectiveRateLimit } = await temporal.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: ACTIVITY_TASKS,
    reportStats: true,
  });
  const workers = new Set((pollers ?? []).map(({ identity }) => identity)).size;
  if (workers === 0) {
    const mend = 'perdure worker with this agents file';
    return { check: CHECK, verdict: 'warning', detail: `${detail}; nobody polls it`, mend };
  }
  const waiting = Number(stats?.approximateBacklogCount ?? 0);
  const said = `${detail}; ${count(workers, 'worker')}, ${waiting} waiting`;
  const held = effectiveRateLimit?.requestsPerSecond ?? 0;
  if (maxPerSecond !== undefined && held > 0 && held !== maxPerSecond) {
    const mend = 'all workers of a queue must have the same limit; restart those with another';
    return { check: CHECK, verdict: 'warning', detail: `${said}; the server holds ${held}`, mend };
  }
  return { check: CHECK, verdict: 'ok', detail: said };
}

function limitsOf({ maxPerSecond, maxConcurrent }: ModelQueue): string {
  const limits = [
    ...(maxPerSecond === undefined ? [] : [`${maxPerSecond} a second over all workers`]),
    ...(maxConcurrent === undefined ? [] : [`${maxConcurrent} at once in each worker`]),
  ];
  return limits.length === 0 ? ', no limit' : `, at most ${limits.join(', ')}`;
}
