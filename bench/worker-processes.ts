import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflows } from '../src/worker/workflow-bundle.ts';
import { compileTree } from '../test/support/compile-tree.ts';
import {
  forkWorker,
  type WorkerProcess,
  type WorkerProcessOptions,
} from '../test/support/fork-worker.ts';

/** Workers of one task queue and one data directory, each a process that can be killed. */
export interface WorkerProcesses {
  readonly dataDirectory: string;
  /** Resolves when it polls. */
  start(): Promise<WorkerProcess>;
  /** Kills those that still run, and removes what they left. */
  end(): Promise<void>;
}

export async function workerProcesses(
  address: string,
  options: Omit<WorkerProcessOptions, 'dataDirectory' | 'onMessage'> & {
    readonly onMessage?: (message: unknown, worker: WorkerProcess) => void;
  },
): Promise<WorkerProcesses> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-bench-workers-'));
  const workflowBundlePath = join(dataDirectory, 'workflow-bundle.js');
  await writeFile(workflowBundlePath, (await bundleWorkflows()).code);
  const compiled = await compileTree();
  const workers: WorkerProcess[] = [];
  return {
    dataDirectory,
    async start() {
      const worker: WorkerProcess = await forkWorker(
        { ...options, dataDirectory, onMessage: (message) => options.onMessage?.(message, worker) },
        { address, workflowBundlePath, compiledPath: compiled.path },
      );
      workers.push(worker);
      return worker;
    },
    async end() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await compiled.remove();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}
