import { inject } from 'vitest';
import { forkWorker, type WorkerProcess, type WorkerProcessOptions } from './fork-worker.ts';

export type { WorkerProcess } from './fork-worker.ts';

/** A worker as a process of its own on the tests' server; resolves when it polls. */
export function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  return forkWorker(options, {
    address: inject('temporalAddress'),
    workflowBundlePath: inject('workflowBundlePath'),
    compiledPath: inject('compiledPath'),
  });
}
