import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type ConversationRecord, PerdureClient } from '../../src/client/index.ts';
import { type CountingService, startCountingService } from '../support/counting-service.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';
import type { PagesOptions } from './pages.fixture.ts';

const run = promisify(execFile);
const fixture = new URL('pages.fixture.ts', import.meta.url);
const DISK_MIB = 4;
const PAGE_BYTES = 400_000;

let directory = '';
let isMounted = false;

/** A disk of a few MB needs a mount, and that needs root. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'perdure-small-disk-'));
  const mount = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', directory];
  isMounted = await run('mount', mount).then(
    () => true,
    (error: Error) => {
      console.warn(`skipped: a small disk cannot be mounted here: ${error.message.trim()}`);
      return false;
    },
  );
});

afterAll(async () => {
  if (isMounted) await run('umount', [directory]);
  await rm(directory, { recursive: true, force: true });
});

let service: CountingService;
let client: PerdureClient;
const workers: WorkerProcess[] = [];

beforeEach(async () => {
  service = await startCountingService();
  const taskQueue = `disk-${randomUUID()}`;
  client = await PerdureClient.connect({ address: inject('temporalAddress'), taskQueue });
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  await client.close();
  await service.close();
});

async function startWorker(options: Omit<PagesOptions, 'url'>, dataDirectory = directory) {
  const worker = await startWorkerProcess({
    fixture,
    taskQueue: client.taskQueue,
    dataDirectory,
    heartbeatTimeoutMs: 4_000,
    options: { url: service.url, ...options },
  });
  workers.push(worker);
  return worker;
}

/** Writes until the disk takes no more. */
async function fillUp(file: string): Promise<void> {
  for (const bytes of [64 * 1024, 1]) {
    const chunk = Buffer.alloc(bytes);
    for (let isFull = false; !isFull;) {
      isFull = await appendFile(file, chunk).then(
        () => false,
        () => true,
      );
    }
  }
}

const violations = () => service.of('request').flatMap((request) => request['violations']);

function pagesOf({ calls }: ConversationRecord) {
  return calls.filter(({ planned }) => planned.tool === 'read_page').map(({ result }) => result);
}

describe('a disk under blobs and ledger', () => {
  test('that is full loses content and says so; the conversation goes on, a killed once call is not repeated', async ({
    skip,
  }) => {
    if (!isMounted) skip('needs root to mount a small disk');
    const filler = join(directory, 'filler');
    const first = await startWorker({ pages: 1, pageBytes: PAGE_BYTES, payMs: 60_000 });
    await fillUp(filler);
    const conversation = await client.start('reader', { message: 'read' });
    await service.until('pay began', 1, 60_000);
    const [page] = pagesOf(await conversation.record());
    expect(page?.outcome).toBe('ok');
    expect(JSON.stringify(page?.content)).toContain('was lost: no blob store took it');
    // Its ledger could not be written: the heartbeat tells that it died.
    await first.kill();
    await rm(filler);
    await startWorker({ pages: 1, pageBytes: PAGE_BYTES });
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    expect(service.of('pay began')).toHaveLength(1);
    expect(violations()).toEqual([]);

    const next = await client.start('reader', { message: 'read again' });
    expect(await next.result()).toMatchObject({ text: 'Done.' });
    const [kept] = pagesOf(await next.record());
    expect(JSON.stringify(kept?.content)).toContain('"blob"');
  }, 120_000);

  test('that is slow costs time, and nothing else', async () => {
    const slow = await mkdtemp(join(tmpdir(), 'perdure-slow-disk-'));
    try {
      const slowBlobs = { directory: join(slow, 'blobs'), putMs: 1_200 };
      await startWorker({ pages: 3, pageBytes: 60_000, slowBlobs }, slow);
      const conversation = await client.start('reader', { message: 'read' });
      expect(await conversation.result()).toMatchObject({ text: 'Done.' });
      const pages = pagesOf(await conversation.record());
      expect(pages.every((result) => JSON.stringify(result?.content).includes('"blob"'))).toBe(
        true,
      );
      expect(service.of('pay')).toHaveLength(1);
      expect(violations()).toEqual([]);
    } finally {
      await Promise.all(workers.splice(0).map((worker) => worker.kill()));
      await rm(slow, { recursive: true, force: true });
    }
  });
});
