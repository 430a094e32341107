import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a new file, for its owner only, and returns when its bytes are on the disk. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes renames and new names in a directory survive a power cut, where the platform can. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Makes a directory and those above it, for their owner only; says whether it was missing. */
export async function makeDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // By itself, and not `recursive` from the start: that fails when another process removes the
    // directory between two of its looks.
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'ENOENT')) throw error;
    return (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined;
  }
}

/** Removes what has not changed for that long from a directory. */
export async function sweepOlderThan(directory: string, ageMs: number): Promise<void> {
  const limit = Date.now() - ageMs;
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < limit) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Names in a directory; none where there is no such directory. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isAbsent(error) || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}
