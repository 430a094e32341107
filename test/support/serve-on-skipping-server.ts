import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import type { Duration } from '../../src/core/duration.ts';
import type { Agent } from '../../src/tools/agent.ts';
import { startWorker, type WorkerInternals } from '../../src/worker.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** A worker on the server whose clock jumps, and only when it is told to. */
export interface SkippingWorld {
  readonly client: PerdureClient;
  /** Lets so much time pass. */
  pass(duration: Duration): Promise<void>;
  end(): Promise<void>;
}

/**
 * This server has no search attributes, and keeps the tasks of a worker that is gone for it: what a
 * restarted worker does is tested on the real server (`test/faults/approvals-kills.test.ts`).
 */
export async function serveOnSkippingServer(
  path: string,
  agents: readonly Agent<never>[],
  internals: WorkerInternals = {},
): Promise<SkippingWorld> {
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const { address } = environment;
  const taskQueue = `test-${randomUUID()}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-skipping-'));
  const client = await PerdureClient.connect({ address, taskQueue });
  const worker = await startWorker(
    { agents, deployPatience: 0, taskQueue, dataDir },
    { address },
    { workflowBundle: { codePath: inject('workflowBundlePath') }, ...internals },
  );
  const running = worker.run();
  return {
    client,
    pass: (duration) => environment.sleep(duration),
    async end() {
      worker.shutdown();
      await running;
      await client.close();
      await environment.teardown();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
