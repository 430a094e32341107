import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { fileBlobStore } from '../../src/blobs/file.ts';
import {
  type BlobReference,
  type ConversationHandle,
  isBlobReference,
  PerdureClient,
} from '../../src/client/index.ts';
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

/** Every reference of the record leads to content. */
async function expectReadable(conversation: ConversationHandle) {
  const record = await conversation.record();
  const references: BlobReference[] = [];
  JSON.stringify(record, (_, value: unknown) => {
    if (isBlobReference(value)) references.push(value);
    return value;
  });
  for (const reference of references) await conversation.load(reference);
  return { record, references: references.length };
}

/** How the blobs of a step begin: a message, arguments, a turn, a result, a segment. */
const WRITTEN = ['"mmm', '{"n":0,', '{"turn":0,', '"made 0 ', '{"previous":null,'];

test('workers that are killed between writing a blob of each kind and recording it, and between recording and reading: store and history agree', async () => {
  let dying = await worker({ what: 'put', begins: WRITTEN[0] ?? '' });
  const conversation = await client.start('large', { message: 'm'.repeat(40_000) });
  for (const kills of WRITTEN.keys()) {
    await service.until('hangs', kills + 1);
    await dying.kill();
    const next = WRITTEN[kills + 1];
    // The last one has no transcript: it must read what is recorded.
    dying = await worker(
      next === undefined ? { what: 'get', begins: '"made 1 ' } : { what: 'put', begins: next },
    );
    await expectReadable(conversation);
  }
  await service.until('hangs', WRITTEN.length + 1);
  await dying.kill();
  await worker();
  expect(await conversation.result()).toMatchObject({ text: 'All seen.' });
  const { record, references } = await expectReadable(conversation);
  expect(record.hasFirstEntry).toBe(true);
  expect(references).toBeGreaterThan(STEPS * 2);
  expect(record.entries.filter(({ entry }) => entry.kind === 'result')).toHaveLength(STEPS);
});
