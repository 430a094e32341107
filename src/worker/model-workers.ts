import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { ModelQueue } from '../define-config.ts';

/**
 * Workers for the task queues that models have of their own. The server holds their rate over all
 * workers of a queue, so a limit per second is a limit of the whole fleet; a limit of completions at
 * once is one of each worker.
 */
export async function modelWorkers(
  common: WorkerOptions,
  queues: { readonly [model: string]: ModelQueue },
): Promise<Worker[]> {
  const byQueue = new Map(Object.values(queues).map((queue) => [queue.taskQueue, queue]));
  return Promise.all(
    [...byQueue.values()].map(({ taskQueue, maxPerSecond, maxConcurrent }) =>
      Worker.create({
        ...common,
        taskQueue,
        ...(maxPerSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: maxPerSecond }),
        ...(maxConcurrent === undefined
          ? {}
          : { maxConcurrentActivityTaskExecutions: maxConcurrent }),
      }),
    ),
  );
}
