import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SOCKET_SUFFIX, TEMPORARY_SUFFIX } from './ledger-directory.ts';
import { isSilent } from './socket.ts';

/** No process needs this long between its socket and its ledger, or to write a file. */
const LITTER_AFTER_MS = 60 * 60 * 1_000;

/** Removes sockets and half-written files of processes that died before their ledger was there. */
export async function removeLitter(directory: string): Promise<void> {
  const names = await readdir(directory);
  const owners = new Set(
    names.filter((name) => !isCandidate(name)).map((name) => name.split('.')[0]),
  );
  for (const name of names.filter(isCandidate)) {
    if (owners.has(name.split('.')[0])) continue;
    const path = join(directory, name);
    const facts = await lstat(path).catch(() => undefined);
    if (facts === undefined || Date.now() - facts.mtimeMs < LITTER_AFTER_MS) continue;
    if (name.endsWith(SOCKET_SUFFIX) && !(await isSilent(directory, name))) continue;
    await rm(path, { force: true });
  }
}

function isCandidate(name: string): boolean {
  return name.endsWith(SOCKET_SUFFIX) || name.endsWith(TEMPORARY_SUFFIX);
}
