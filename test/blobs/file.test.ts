import { createHash, randomBytes } from 'node:crypto';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { blobStoreContract, sha256Of } from './contract.ts';

const scratch = await mkdtemp(join(tmpdir(), 'perdure-blobs-'));
afterAll(() => rm(scratch, { recursive: true }));
let directories = 0;
const newDirectory = (): string => join(scratch, `store-${++directories}`);

blobStoreContract('file', () => {
  const directory = newDirectory();
  return {
    open: (place) =>
      fileBlobStore({ directory: place === undefined ? directory : `${directory}-${place}` }),
    damage: (conversationId, sha256, bytes) =>
      writeFile(join(directory, conversationId, sha256), bytes),
  };
});

test('is readable by its owner only', async () => {
  const directory = newDirectory();
  const sha256 = await fileBlobStore({ directory }).put('c', randomBytes(10));
  const mode = async (path: string): Promise<string> =>
    ((await stat(path)).mode & 0o777).toString(8);
  expect(await mode(directory)).toBe('700');
  expect(await mode(join(directory, 'c'))).toBe('700');
  expect(await mode(join(directory, 'c', sha256))).toBe('600');
  expect(await mode(join(directory, '.store-id'))).toBe('600');
});

test('never leaves its directory', async () => {
  const directory = newDirectory();
  const store = fileBlobStore({ directory });
  const before = await readdir(scratch);
  for (const id of ['..', '../x', '/x', '.', '']) await store.put(id, randomBytes(10));
  expect((await readdir(scratch)).sort()).toEqual([...before, 'store-' + directories].sort());
});

test('its id outlives the process, and a store that cannot be reached has none', async () => {
  const directory = newDirectory();
  const id = await fileBlobStore({ directory }).id();
  expect(await fileBlobStore({ directory }).id()).toBe(id);
  const file = join(scratch, 'a-file');
  await writeFile(file, '');
  await expect(fileBlobStore({ directory: join(file, 'store') }).id()).rejects.toThrow('ENOTDIR');
});

test('sweeps what a put that died left behind, but not what another is writing', async () => {
  const directory = newDirectory();
  await fileBlobStore({ directory }).put('c', randomBytes(10));
  const incoming = join(directory, '.incoming');
  await writeFile(join(incoming, 'abandoned'), 'x');
  await writeFile(join(incoming, 'in-use'), 'x');
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(join(incoming, 'abandoned'), twoHoursAgo, twoHoursAgo);
  await fileBlobStore({ directory }).put('c', randomBytes(10));
  expect(await readdir(incoming)).toEqual(['in-use']);
});

test('a put that fails leaves nothing behind', async () => {
  const directory = newDirectory();
  const store = fileBlobStore({ directory });
  await store.put('c', randomBytes(10));
  const bytes = randomBytes(10);
  // A directory in the blob's place: the rename cannot succeed, whoever the user is.
  await mkdir(join(directory, 'c', sha256Of(bytes), 'x'), { recursive: true });
  await expect(store.put('c', bytes)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(await readdir(join(directory, '.incoming'))).toEqual([]);
});

test('several processes put the same and their own blobs, and share one id', async () => {
  const directory = newDirectory();
  const children = Array.from({ length: 4 }, (_, n) => startPutter(directory, `own-${n}`, '60'));
  const reports = await Promise.all(children.map(report));
  expect(new Set(reports.map(({ id }) => id)).size).toBe(1);
  const store = fileBlobStore({ directory });
  const conversations: string[] = [];
  for await (const id of store.conversations()) conversations.push(id);
  expect(conversations.sort()).toEqual(['own-0', 'own-1', 'own-2', 'own-3', 'shared']);
  expect(await store.deleteConversation('shared')).toBe(60);
  for (let n = 0; n < 4; n++) expect(await store.deleteConversation(`own-${n}`)).toBe(60);
});

test('a process killed while it puts leaves only whole blobs', async () => {
  const directory = newDirectory();
  const child = startPutter(directory, 'killed', '100000');
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  let whole = 0;
  for (const conversation of ['killed', 'shared']) {
    for (const name of await readdir(join(directory, conversation))) {
      const bytes = await readFile(join(directory, conversation, name));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(name);
      whole++;
    }
  }
  expect(whole).toBeGreaterThan(0);
});

function startPutter(directory: string, conversation: string, blobs: string): ChildProcess {
  const program = new URL('./put-blobs.ts', import.meta.url);
  return fork(program, [directory, conversation, blobs], { execArgv: ['--import', 'tsx'] });
}

async function report(child: ChildProcess): Promise<{ id: string }> {
  const [[message]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [
    [{ id: string }],
    unknown,
  ];
  return message;
}
