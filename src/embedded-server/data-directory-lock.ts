import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { answers } from './answers.ts';

/** A server whose owner just died needs a moment to end. */
const ORPHAN_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;

/** An owner that is alive but whose server does not answer may still be starting it. */
const STARTING_MS = 90_000;

/** Where the embedded server keeps its files in a data directory. */
export function serverDirectory(dataDirectory: string): string {
  return join(resolve(dataDirectory), 'temporal');
}

/** The embedded server that uses a data directory, as another process can find it. */
export interface RunningServer {
  readonly address: string;
  readonly uiAddress?: string | undefined;
  readonly namespace: string;
  /** The process that started it, and ends it. */
  readonly ownerPid: number;
}

const lockFileSchema = z.object({
  address: z.string(),
  uiAddress: z.string().optional(),
  namespace: z.string(),
  ownerPid: z.number(),
  nonce: z.string(),
  at: z.number(),
});

type LockFile = z.infer<typeof lockFileSchema>;

/**
 * Takes the directory for one server. Returns the function that gives it back.
 * @throws {DataDirectoryInUse} when another process has a server there.
 */
export async function lockDataDirectory(
  dataDirectory: string,
  server: Omit<RunningServer, 'ownerPid'>,
): Promise<() => Promise<void>> {
  const file = lockFileOf(dataDirectory);
  const mine: LockFile = { ...server, ownerPid: process.pid, nonce: randomUUID(), at: Date.now() };
  const deadline = Date.now() + ORPHAN_TIMEOUT_MS;
  while (!(await create(file, mine))) {
    const other = await read(file);
    const state = other === undefined ? 'gone' : await stateOf(other);
    if (other === undefined || state === 'gone') await removeLock(file, other?.nonce);
    else if (state === 'running' || Date.now() > deadline) {
      throw new DataDirectoryInUse(dataDirectory, other);
    } else await sleep(RETRY_MS);
  }
  return () => removeLock(file, mine.nonce);
}

/** The embedded server that runs on a data directory now; `undefined` when there is none. */
export async function findRunningServer(dataDirectory: string): Promise<RunningServer | undefined> {
  const found = await read(lockFileOf(dataDirectory));
  if (found === undefined || !(await answers(found.address))) return undefined;
  return found;
}

/** Two servers would write one database. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
  readonly server: RunningServer;

  constructor(dataDirectory: string, server: RunningServer) {
    super(
      `the data directory ${resolve(dataDirectory)} is in use by the embedded server at ${server.address}, started by process ${server.ownerPid}: end that process, or choose another data directory`,
    );
    this.server = server;
  }
}

function lockFileOf(dataDirectory: string): string {
  return join(serverDirectory(dataDirectory), 'server.json');
}

/** Written whole before it has its name, so that nobody reads half of it. */
async function create(file: string, lock: LockFile): Promise<boolean> {
  const draft = `${file}.${lock.nonce}`;
  await writeFile(draft, JSON.stringify(lock));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes the lock unless it has become another's in the meantime. */
async function removeLock(file: string, nonce: string | undefined): Promise<void> {
  const taken = `${file}.${randomUUID()}`;
  try {
    await rename(file, taken);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  const removed = await read(taken);
  if (removed?.nonce !== nonce) await link(taken, file).catch(() => {});
  await rm(taken, { force: true });
}

async function read(file: string): Promise<LockFile | undefined> {
  try {
    return lockFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** `orphan`: its owner is gone and it is about to end. `gone`: nobody holds the directory. */
async function stateOf(lock: LockFile): Promise<'running' | 'orphan' | 'gone'> {
  const isOwned = isAlive(lock.ownerPid);
  if (await answers(lock.address)) return isOwned ? 'running' : 'orphan';
  return isOwned && Date.now() - lock.at < STARTING_MS ? 'running' : 'gone';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
