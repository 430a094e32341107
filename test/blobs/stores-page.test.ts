import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import type { EventSink } from '../../src/streams/event-sink.ts';
import { fileEventSink } from '../../src/streams/file.ts';
import { docBlocks } from '../support/doc-blocks.ts';
import { startPostgres } from './start-postgres.ts';
import { startSeaweedfs } from './start-seaweedfs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = await docBlocks(new URL('../../docs/stores.md', import.meta.url));
let directory: string;

beforeAll(async () => {
  // Inside the repository, where packages are found.
  await mkdir(join(root, '.perdure'), { recursive: true });
  directory = await mkdtemp(join(root, '.perdure', 'stores-page-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs a block of the page, its places replaced by ours: what it exports. */
async function run(file: string, places: { readonly [shown: string]: string } = {}) {
  const block = page.find((each) => each.file === file);
  if (block === undefined) throw new Error(`docs/stores.md has no block "${file}"`);
  const source = { "'perdure'": `'${join(root, 'src/index.ts')}'`, ...places };
  let code = block.code;
  for (const [shown, real] of Object.entries(source)) {
    expect(code).toContain(shown);
    code = code.replaceAll(shown, real);
  }
  await writeFile(join(directory, file), code);
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ join(directory, file));
  return exported;
}

test('every code block of docs/stores.md is run here', () => {
  const files = page.filter(({ language }) => language === 'ts').map(({ file }) => file);
  expect(files).toEqual(['perdure.config.ts', 'blobs.ts', 'bucket.ts', 'events.ts', 'forget.ts']);
});

test('the blob store of files', async () => {
  const shown = await run('blobs.ts', { '.perdure/blobs': join(directory, 'blobs') });
  expect(shown).toMatchObject({ report: 'a long report', deleted: 1, afterwards: 'absent' });
});

test('the event sink of files', async () => {
  const shown = await run('events.ts', { '.perdure/events': join(directory, 'events') });
  expect(shown['seen']).toEqual(['Hello', ' again']);
});

test('deletion', async () => {
  const { forget } = (await run('forget.ts')) as {
    forget: (id: string, blobs: BlobStore, events: EventSink) => Promise<number>;
  };
  const blobs = fileBlobStore({ directory: join(directory, 'forget-blobs') });
  const events = fileEventSink({ directory: join(directory, 'forget-events') });
  await blobs.put('c', Buffer.from('x'));
  events.publish('c', [{ type: 'text', turn: 1, step: 1, text: 'x' }]);
  expect(await forget('c', blobs, events)).toBe(1);
  await events.close();
});

const postgres = await startPostgres();
afterAll(() => postgres?.stop());
test.skipIf(postgres === undefined)('a configuration with PostgreSQL', async () => {
  const agents = `
    import { defineAgent } from '${join(root, 'src/index.ts')}';
    import { scripted } from '${join(root, 'src/models/index.ts')}';
    export const agents = [
      defineAgent({ name: 'helper', model: scripted([]), instructions: 'Help.', tools: [] }),
    ];`;
  await writeFile(join(directory, 'agents.ts'), agents);
  const { default: config } = (await run('perdure.config.ts', {
    'postgres://perdure@localhost:5432/postgres': postgres?.connectionString ?? '',
  })) as { default: { blobs: BlobStore; events: EventSink } };
  const sha256 = await config.blobs.put('c', Buffer.from('x'));
  expect(await config.blobs.has('c', sha256)).toBe(true);
  expect(config.events.kind).toBe('redis');
  await Promise.all([config.blobs.close(), config.events.close()]);
});

const s3 = await startSeaweedfs();
afterAll(() => s3?.stop());
test.skipIf(s3 === undefined)('a bucket', async () => {
  const { conversations } = await run('bucket.ts', { 'http://localhost:8333': s3?.endpoint ?? '' });
  expect(conversations).toEqual(['order-42']);
});
