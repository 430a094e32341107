import type { Worker } from '@temporalio/worker';

/**
 * Runs workers until all have ended. One that fails takes the others with it, in order.
 * @throws what the first one failed with
 */
export async function runTogether(workers: readonly Worker[]): Promise<void> {
  const ended = workers.map(async (worker) => {
    try {
      await worker.run();
    } catch (error) {
      shutDownAll(workers);
      throw error;
    }
  });
  const results = await Promise.allSettled(ended);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

export function shutDownAll(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
