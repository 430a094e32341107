import { randomUUID } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import { createActivities } from '../../src/activities/create-activities.ts';
import { createNoLedger } from '../../src/activities/ledger/no-ledger.ts';
import { createTranscriptReader } from '../../src/activities/transcript/create-transcript-reader.ts';
import type { TranscriptReader } from '../../src/activities/transcript/transcript-reader.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { noEventSink } from '../../src/streams/none.ts';
import type { Agent } from '../../src/tools/agent.ts';
import { registerAgents } from '../../src/tools/register-agents.ts';

export interface BareWorkerOptions {
  readonly agents: readonly Agent<never>[];
  readonly taskQueue: string;
  readonly blobs: BlobStore;
  readonly payloadCodecs?: readonly PayloadCodec[];
  /** Which halves of a worker this one is; default both. */
  readonly does?: 'workflows' | 'activities';
  /** Off: each activity goes through the task queue, to whichever worker asks first. */
  readonly eagerActivities?: boolean;
  readonly maxCachedWorkflows?: number;
  readonly maxBytes?: number;
  readonly handOver?: { readonly bytes: number; readonly events: number };
}

export interface BareWorker {
  readonly transcripts: TranscriptReader;
  stop(): Promise<void>;
}

/** Temporal's worker around our workflows and activities, with its transcript reader in the open. */
export async function startBareWorker(options: BareWorkerOptions): Promise<BareWorker> {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const payloadCodecs = [...(options.payloadCodecs ?? [])];
  const transcripts = createTranscriptReader({
    history: connection,
    payloadCodecs,
    blobs: options.blobs,
    maxBytes: options.maxBytes ?? 50_000_000,
    log: { debug: () => undefined, warn: (message, fields) => console.warn(message, fields) },
  });
  const activities = createActivities({
    agents: registerAgents(options.agents),
    deps: {},
    blobs: options.blobs,
    events: noEventSink(),
    ledger: createNoLedger(),
    transcripts,
    deployPatienceMs: 0,
    inlineLimitBytes: 32 * 1024,
    keepTranscripts: false,
    heartbeatTimeoutMs: 60_000,
    cancelGraceMs: 1_000,
    searchAttributes: true,
    modelTaskQueues: {},
    handOver: options.handOver ?? { bytes: 30_000_000, events: 20_000 },
    identity: 'bare',
  });
  const worker = await Worker.create({
    connection,
    namespace: 'default',
    identity: `bare-${randomUUID()}`,
    taskQueue: options.taskQueue,
    dataConverter: { payloadCodecs },
    ...(options.does === 'activities'
      ? {}
      : { workflowBundle: { codePath: inject('workflowBundlePath') } }),
    ...(options.does === 'workflows' ? {} : { activities }),
    ...(options.eagerActivities === false ? { maxTaskQueueActivitiesPerSecond: 100_000 } : {}),
    ...(options.maxCachedWorkflows === undefined
      ? {}
      : { maxCachedWorkflows: options.maxCachedWorkflows }),
  });
  const running = worker.run();
  return {
    transcripts,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
