import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { type ConversationHandle, isBlobReference, PerdureClient } from '../../src/client/index.ts';
import { type LargeAgentOptions, STEPS } from '../hand-overs/large-agent.ts';
import { type CountingService, startCountingService } from '../support/counting-service.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

const fixture = new URL('../hand-overs/large-agent.ts', import.meta.url);

let service: CountingService;
let client: PerdureClient;
let directory: string;
let taskQueue: string;
const workers: WorkerProcess[] = [];

beforeEach(async () => {
  service = await startCountingService();
  directory = await mkdtemp(join(tmpdir(), 'perdure-blob-kills-'));
  taskQueue = `blob-kills-${randomUUID()}`;
  const blobs = fileBlobStore({ directory: join(directory, 'blobs') });
  client = await PerdureClient.connect({ address: inject('temporalAddress'), taskQueue, blobs });
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  await client.close();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

async function worker(hangAfter?: LargeAgentOptions['hangAfter']): Promise<WorkerProcess> {
  const options: LargeAgentOptions = {
    url: service.url,
    blobDirectory: join(directory, 'blobs'),
    ...(hangAfter === undefined ? {} : { hangAfter }),
  };
  const started = await startWorkerProcess({
    fixture,
    taskQueue,
    dataDirectory: directory,
    handOver: { bytes: 3_000_000, events: 60 },
    options,
  });
  workers.push(started);
  return started;
}

/** Every reference of the record leads to content; the transcript is whole. */
async function expectAgreement(conversation: ConversationHandle): Promise<void> {
  const record = await conversation.record();
  expect(record.hasFirstEntry).toBe(true);
  const references: unknown[] = [];
  JSON.stringify(record, (_, value: unknown) => {
    if (isBlobReference(value)) references.push(value);
    return value;
  });
  expect(references.length).toBeGreaterThan(STEPS * 2);
  for (const reference of references) await conversation.load(reference);
  const results = record.entries.filter(({ entry }) => entry.kind === 'result');
  expect(results).toHaveLength(STEPS);
}

describe('a worker that is killed', () => {
  // One put for each turn, argument, result, and for each segment of a hand-over.
  test.each([2, 9, 16])(
    'when it has written blob %d and recorded nothing of it: what is recorded is there',
    async (n) => {
      const first = await worker({ what: 'put', n });
      const conversation = await client.start('large', { message: 'm'.repeat(40_000) });
      await service.until('hangs', 1);
      await first.kill();
      await worker();
      expect(await conversation.result()).toMatchObject({ text: 'All seen.' });
      await expectAgreement(conversation);
    },
  );

  test.each([1])(
    'when it has read blob %d of what is recorded: another reads the same',
    async (n) => {
      // A worker that has no transcript must read blobs.
      const before = await worker({ what: 'put', n: 9 });
      const conversation = await client.start('large', { message: 'm'.repeat(40_000) });
      await service.until('hangs', 1);
      await before.kill();
      const reading = await worker({ what: 'get', n });
      await service.until('hangs', 2);
      await reading.kill();
      await worker();
      expect(await conversation.result()).toMatchObject({ text: 'All seen.' });
      await expectAgreement(conversation);
    },
  );
});
