import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { TranscriptReader } from '../src/activities/transcript/transcript-reader.ts';
import { PerdureClient } from '../src/client/index.ts';
import { type PerdureWorker, startWorker } from '../src/worker.ts';
import { makeBenchAgent, messageFor } from './agent.ts';
import { loopActivities } from './loops.activities.ts';
import { sum } from './measure.ts';
import { MessageFiles } from './message-files.ts';

/** Of this very file: `.ts` from source, `.js` compiled. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

export interface Contestant {
  readonly name: string;
  /** Runs one conversation of so many steps to its end. */
  run(steps: number, bytes: number, id: string): Promise<void>;
}

export interface Contest {
  readonly ours: Contestant;
  readonly byReference: Contestant;
  readonly byValue: Contestant;
  readonly withoutMessages: Contestant;
  readonly temporal: Client;
  readonly client: PerdureClient;
  /** Transcripts that a worker of ours had, and those that it had to read from history. */
  reads(): { readonly hits: number; readonly gaps: number };
  end(): Promise<void>;
}

export interface ContestOptions {
  /** Of each contestant. Default 1. */
  readonly workers?: number;
  /** Off: nearly every activity starts on another worker than the one before. Default on. */
  readonly eagerStarts?: boolean;
}

/** Our runner and hand-written loops, as workers of this process on one server. */
export async function startContest(
  address: string,
  { workers = 1, eagerStarts = true }: ContestOptions = {},
): Promise<Contest> {
  const directory = await mkdtemp(join(tmpdir(), 'perdure-bench-'));
  const dataDir = join(directory, 'perdure');
  const files = new MessageFiles(directory);
  // A connection takes one worker of a queue.
  const connections: NativeConnection[] = [];
  const statistics: TranscriptReader['statistics'][] = [];
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(`loops.workflows.${EXTENSION}`, import.meta.url)),
    logger: Runtime.instance().logger,
  });
  const ours: PerdureWorker[] = [];
  const loops: Worker[] = [];
  for (let n = 1; n <= workers; n++) {
    const config = { agents: [makeBenchAgent()], dataDir, taskQueue: 'bench' };
    ours.push(
      await startWorker(
        config,
        { address, identity: `bench-${n}` },
        { eagerStarts, onStatistics: (counts) => statistics.push(counts) },
      ),
    );
    const connection = await NativeConnection.connect({ address });
    connections.push(connection);
    loops.push(
      await Worker.create({
        connection,
        identity: `loops-${n}`,
        taskQueue: 'loops',
        workflowBundle,
        activities: loopActivities(files),
        // As our worker's: each sticky task also costs the server a timer of that length.
        maxConcurrentActivityTaskExecutions: 200,
        stickyQueueScheduleToStartTimeout: '2s',
        ...(eagerStarts ? {} : { maxEagerActivityReservationsPerWorkflowTask: 0 }),
      }),
    );
  }
  const running = [...ours, ...loops].map((worker) => worker.run());
  const client = await PerdureClient.connect({ address, taskQueue: 'bench' });
  const clientConnection = await Connection.connect({ address });
  const temporal = new Client({ connection: clientConnection });
  const loop = (name: 'byReference' | 'byValue' | 'withoutMessages'): Contestant => ({
    name,
    run: async (steps, bytes, workflowId) => {
      await temporal.workflow.execute(name, {
        taskQueue: 'loops',
        workflowId,
        args: [steps, bytes],
      });
    },
  });
  return {
    temporal,
    client,
    reads: () => ({
      hits: sum(statistics.map(({ hits }) => hits)),
      gaps: sum(statistics.map(({ gaps }) => gaps)),
    }),
    byReference: loop('byReference'),
    byValue: loop('byValue'),
    withoutMessages: loop('withoutMessages'),
    ours: {
      name: 'perdure',
      run: async (steps, bytes, id) => {
        const conversation = await client.start('bench', { id, message: messageFor(steps, bytes) });
        await conversation.result();
      },
    },
    async end() {
      for (const worker of [...ours, ...loops]) worker.shutdown();
      await Promise.all(running);
      await client.close();
      await clientConnection.close();
      await Promise.all(connections.map((connection) => connection.close()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
