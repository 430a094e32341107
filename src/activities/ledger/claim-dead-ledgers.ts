import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId } from './boot.ts';
import { CLAIM_SUFFIX, LEDGER_SUFFIX } from './ledger-directory.ts';
import type { Ledger } from './ledger-file.ts';
import type { LedgerLog } from './ledger-log.ts';
import { readLedger } from './read-ledger.ts';
import { isSilent } from './socket.ts';

/**
 * A ledger of another boot is left from before a restart, unless its directory is shared with
 * another host after all. A living process touches its ledger every two seconds.
 */
const QUIET_ON_OTHER_BOOT_MS = 15_000;

/** A dead worker's ledger that no other sweeper will act upon as long as this process lives. */
export interface ClaimedLedger {
  readonly path: string;
  readonly ledger: Ledger;
  /** A time at which the worker still lived. */
  readonly livedAtMs: number;
}

export interface ClaimOptions {
  readonly directory: string;
  /** Id of this process's own ledger, by which others see whether the claim is still held. */
  readonly ownId: string;
  readonly log: LedgerLog;
  /** Paths of refused files that were logged before. */
  readonly alreadyLogged?: Set<string>;
}

/**
 * Claims every ledger whose process is dead, also those whose claimer died or whose report could not
 * be delivered last time. A claim is one rename, so of two sweepers exactly one has it.
 */
export async function claimDeadLedgers(options: ClaimOptions): Promise<readonly ClaimedLedger[]> {
  const claimed: ClaimedLedger[] = [];
  for (const name of await namesIn(options.directory)) {
    const claim = await claimOne(name, options);
    if (claim !== undefined) claimed.push(claim);
  }
  return claimed;
}

async function claimOne(name: string, options: ClaimOptions): Promise<ClaimedLedger | undefined> {
  const { directory, ownId } = options;
  const isClaim = name.endsWith(CLAIM_SUFFIX);
  if (!isClaim && !name.endsWith(LEDGER_SUFFIX)) return undefined;
  const [id = '', claimer] = name.split('.');
  if (id === ownId) return undefined;
  const path = join(directory, name);
  const read = await readLedger(path, id);
  if ('gone' in read) return undefined;
  if ('refused' in read) {
    logOnce(path, read.refused, options);
    return undefined;
  }
  const own = join(directory, `${id}.${ownId}${CLAIM_SUFFIX}`);
  if (path === own) return { path, ...read };
  const free = isClaim
    ? await isDeadById(claimer ?? '', directory)
    : await isDead(read.ledger, read.livedAtMs, directory);
  if (!free) return undefined;
  try {
    await rename(path, own);
  } catch {
    // Another sweeper was faster, or the directory cannot be written: the next sweep looks again.
    return undefined;
  }
  return { path: own, ...read };
}

async function isDead(ledger: Ledger, livedAtMs: number, directory: string): Promise<boolean> {
  if (ledger.header.bootId !== bootId()) {
    return Date.now() - livedAtMs > QUIET_ON_OTHER_BOOT_MS;
  }
  return isSilent(directory, ledger.header.socket);
}

async function isDeadById(id: string, directory: string): Promise<boolean> {
  const read = await readLedger(join(directory, `${id}${LEDGER_SUFFIX}`), id);
  if ('gone' in read) return true;
  if ('refused' in read) return false;
  return isDead(read.ledger, read.livedAtMs, directory);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch {
    return [];
  }
}

function logOnce(path: string, reason: string, { log, alreadyLogged }: ClaimOptions): void {
  if (alreadyLogged?.has(path) === true) return;
  alreadyLogged?.add(path);
  log.warn('A file among the attempt ledgers was ignored.', { path, reason });
}
