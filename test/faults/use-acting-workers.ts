import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, inject } from 'vitest';
import {
  type ConversationHandle,
  PerdureClient,
  type RecordedCall,
} from '../../src/client/index.ts';
import { type CountingService, startCountingService } from '../support/counting-service.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

const fixture = new URL('acting.fixture.ts', import.meta.url);

export interface ActingWorkers {
  readonly client: PerdureClient;
  readonly service: CountingService;
  startWorker(toolMs?: number): Promise<WorkerProcess>;
  /** A workflow task that hangs is found after 2 s, not 10. */
  startHurried(agent: string): Promise<ConversationHandle>;
}

/** Worker processes of the acting agents, the service that counts what they do, and a client. */
export function useActingWorkers(options: { readonly heartbeatTimeoutMs: number }): ActingWorkers {
  const workers: WorkerProcess[] = [];
  let client: PerdureClient | undefined;
  let service: CountingService | undefined;
  let dataDirectory = '';
  let taskQueue = '';
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('it is there once a test runs');
    return value;
  };
  beforeEach(async () => {
    service = await startCountingService();
    dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-acting-'));
    taskQueue = `acting-${randomUUID()}`;
    client = await PerdureClient.connect({ address: inject('temporalAddress'), taskQueue });
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
    await client?.close();
    await service?.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  return {
    get client() {
      return there(client);
    },
    get service() {
      return there(service);
    },
    async startWorker(toolMs = 0) {
      const worker = await startWorkerProcess({
        fixture,
        taskQueue,
        dataDirectory,
        heartbeatTimeoutMs: options.heartbeatTimeoutMs,
        options: { url: there(service).url, toolMs },
      });
      workers.push(worker);
      return worker;
    },
    async startHurried(agent) {
      return there(client).start(agent, { message: 'act', workflowTaskTimeout: '2s' });
    },
  };
}

/** The newest call of a conversation, as it is recorded. */
export async function lastCall(conversation: ConversationHandle): Promise<RecordedCall> {
  const { calls } = await conversation.record();
  const call = calls.at(-1);
  if (call === undefined) throw new Error('the conversation has made no call');
  return call;
}
