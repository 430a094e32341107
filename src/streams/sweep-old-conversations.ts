import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent, listParts, partPath } from './event-parts.ts';

/** Removes the conversations whose newest event is older, and what a deletion left behind. */
export async function sweepOldConversations(root: string, ageMs: number): Promise<void> {
  const limit = Date.now() - ageMs;
  for (const name of await readdir(root)) {
    const directory = join(root, name);
    const newest = (await listParts(directory)).at(-1);
    const changedAt = await changeTime(
      newest === undefined ? directory : partPath(directory, newest),
    );
    if (changedAt !== undefined && changedAt < limit) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

async function changeTime(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
