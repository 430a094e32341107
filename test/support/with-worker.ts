import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import type { PerdureConfig } from '../../src/define-config.ts';
import type { Agent } from '../../src/tools/agent.ts';
import { startWorker, type WorkerInternals } from '../../src/worker.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

export interface Served {
  readonly client: PerdureClient;
  readonly taskQueue: string;
  readonly dataDirectory: string;
}

/** Serves agents with a worker of this process, on a task queue and a data directory of its own. */
export async function withWorker<T>(
  config: Omit<PerdureConfig, 'agents'> & {
    readonly agents: readonly Agent<never>[];
    readonly internals?: WorkerInternals;
  },
  use: (served: Served) => Promise<T>,
): Promise<T> {
  const { internals, ...settings } = config;
  const taskQueue = settings.taskQueue ?? `test-${randomUUID()}`;
  const dataDirectory = settings.dataDir ?? (await mkdtemp(join(tmpdir(), 'perdure-test-worker-')));
  const address = inject('temporalAddress');
  const worker = await startWorker(
    { deployPatience: 0, ...settings, taskQueue, dataDir: dataDirectory },
    { address },
    { workflowBundle: { codePath: inject('workflowBundlePath') }, ...internals },
  );
  const running = worker.run();
  const client = await PerdureClient.connect({ address, taskQueue });
  try {
    return await use({ client, taskQueue, dataDirectory });
  } finally {
    worker.shutdown();
    await running;
    await client.close();
    if (settings.dataDir === undefined) await rm(dataDirectory, { recursive: true, force: true });
  }
}
