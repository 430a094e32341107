import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { PerdureClient } from '../src/client/index.ts';
import { startWorker } from '../src/worker.ts';
import { makeBenchAgent, messageFor } from './agent.ts';
import { floorActivities } from './floor.activities.ts';

export interface Contestant {
  readonly name: string;
  /** Runs one conversation of so many steps to its end. */
  run(steps: number, bytes: number, id: string): Promise<void>;
}

export interface Contest {
  readonly ours: Contestant;
  readonly byReference: Contestant;
  readonly byValue: Contestant;
  readonly temporal: Client;
  readonly client: PerdureClient;
  end(): Promise<void>;
}

/** Our runner and two hand-written loops, as workers of this process on one server. */
export async function startContest(address: string): Promise<Contest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-bench-'));
  const connection = await NativeConnection.connect({ address });
  const ours = await startWorker(
    { agents: [makeBenchAgent()], dataDir, taskQueue: 'bench' },
    { address },
  );
  const floor = await Worker.create({
    connection,
    taskQueue: 'floor',
    workflowsPath: fileURLToPath(new URL('floor.workflows.ts', import.meta.url)),
    activities: floorActivities,
    // The same limits as our worker's.
    maxConcurrentActivityTaskExecutions: 200,
  });
  const running = [ours.run(), floor.run()];
  const client = await PerdureClient.connect({ address, taskQueue: 'bench' });
  const clientConnection = await Connection.connect({ address });
  const temporal = new Client({ connection: clientConnection });
  const loop = (name: 'byReference' | 'byValue'): Contestant => ({
    name,
    run: async (steps, bytes, workflowId) => {
      await temporal.workflow.execute(name, {
        taskQueue: 'floor',
        workflowId,
        args: [steps, bytes],
      });
    },
  });
  return {
    temporal,
    client,
    byReference: loop('byReference'),
    byValue: loop('byValue'),
    ours: {
      name: 'perdure',
      run: async (steps, bytes, id) => {
        const conversation = await client.start('bench', { id, message: messageFor(steps, bytes) });
        await conversation.result();
      },
    },
    async end() {
      ours.shutdown();
      floor.shutdown();
      await Promise.all(running);
      await client.close();
      await clientConnection.close();
      await connection.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
