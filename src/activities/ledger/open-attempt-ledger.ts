import { randomBytes } from 'node:crypto';
import { messageOf } from '../../core/describe-error.ts';
import type { AttemptRecord, LedgerEntry } from './attempt-ledger.ts';
import { bootId, pidNamespace } from './boot.ts';
import { privateDirectory, socketNameFor } from './ledger-directory.ts';
import type { LedgerHeader } from './ledger-file.ts';
import type { LedgerLog } from './ledger-log.ts';
import { LedgerWriter } from './ledger-writer.ts';
import { createNoLedger, type OpenAttemptLedger } from './no-ledger.ts';
import { startOf } from './process-table.ts';
import { isSilent, type LifeSign, showLife } from './socket.ts';

/** Longer than the SDK needs to hand a result to a server that is there. */
const RETURNED_IS_KEPT_MS = 5_000;

/** How old a living process's ledger can look; sweepers on other boots and for process groups rely on it. */
const TOUCH_INTERVAL_MS = 2_000;

export interface LedgerOptions {
  /** On a local disk; every worker that shares it sweeps for the others. Made when it is missing. */
  readonly directory: string;
  /** Identity of the worker, for the failure that tells of its death. */
  readonly identity: string;
  readonly log: LedgerLog;
}

/**
 * Opens this process's ledger: one file that only this user can read (it holds task tokens), and a
 * socket that listens before the file is there. Where that is not possible it says so in the log and
 * keeps none: attempts then are found by heartbeat timeouts.
 */
export async function openAttemptLedger(options: LedgerOptions): Promise<OpenAttemptLedger> {
  if (process.platform === 'win32') return createNoLedger();
  let lifeSign: LifeSign | undefined;
  try {
    privateDirectory(options.directory);
    const id = randomBytes(8).toString('hex');
    const socket = socketNameFor(options.directory, id);
    lifeSign = await showLife(options.directory, socket);
    if (await isSilent(options.directory, socket)) {
      throw new Error('sockets in this directory cannot be connected to');
    }
    const header: LedgerHeader = {
      version: 1,
      id,
      identity: options.identity,
      bootId: bootId(),
      pidNamespace: pidNamespace(),
      socket,
    };
    return ledgerOf(new LedgerWriter(options.directory, header, options.log), id, lifeSign);
  } catch (error) {
    await lifeSign?.close();
    options.log.warn(
      'No attempt ledger can be kept: a worker that dies is found by heartbeat timeouts only.',
      {
        directory: options.directory,
        error: messageOf(error),
      },
    );
    return createNoLedger();
  }
}

function ledgerOf(writer: LedgerWriter, id: string, lifeSign: LifeSign): OpenAttemptLedger {
  let attempts = 0;
  let open = true;
  const touching = setInterval(() => writer.touch(), TOUCH_INTERVAL_MS).unref();

  function begin(record: AttemptRecord): LedgerEntry {
    attempts += 1;
    const attempt = attempts;
    const write: LedgerWriter['write'] = (change) => {
      if (open && writer.attempts.has(attempt)) writer.write(change);
    };
    if (open) writer.write({ change: 'begin', attempt, record });
    return {
      addProcessGroup: (leader) =>
        write({ change: 'group', attempt, leader, startedAt: startOf(leader) }),
      removeProcessGroup: (leader) => write({ change: 'groupEnded', attempt, leader }),
      returned: () => {
        write({ change: 'returned', attempt });
        setTimeout(() => write({ change: 'end', attempt }), RETURNED_IS_KEPT_MS).unref();
      },
      end: () => write({ change: 'end', attempt }),
    };
  }

  async function close(): Promise<void> {
    if (!open) return;
    open = false;
    clearInterval(touching);
    writer.remove();
    await lifeSign.close();
  }

  return { id, begin, close };
}
