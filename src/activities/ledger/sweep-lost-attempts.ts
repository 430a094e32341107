import { rm } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { messageOf } from '../../core/describe-error.ts';
import { bootId, pidNamespace } from './boot.ts';
import { claimDeadLedgers, type ClaimedLedger, type ClaimOptions } from './claim-dead-ledgers.ts';
import { SOCKET_SUFFIX } from './ledger-directory.ts';
import type { LedgerAttempt, ProcessGroup } from './ledger-file.ts';
import { endProcessGroups } from './process-groups.ts';
import { removeLitter } from './remove-litter.ts';
import { reportLost } from './report-lost.ts';

export interface SweepOptions extends Omit<ClaimOptions, 'ownId'> {
  /** `id` of this process's own ledger. Without a ledger of its own a process leaves sweeping to others. */
  readonly ownId: string | undefined;
  readonly client: Client;
}

export interface SweepReport {
  /** Dead workers that are dealt with. */
  readonly workers: number;
  /** Attempts that the server was told are lost. */
  readonly reported: number;
  /** Attempts that were settled before. */
  readonly settledBefore: number;
  /** Attempts with processes that could not be ended: not proved ended, so left to their timeouts. */
  readonly unproved: number;
  /** Dead workers whose attempts the server could not be told about; the next sweep tries again. */
  readonly kept: number;
}

const NOTHING: SweepReport = { workers: 0, reported: 0, settledBefore: 0, unproved: 0, kept: 0 };

/**
 * Finds the ledgers of dead processes, ends what survived of their tools' process groups, and fails
 * their attempts with type `WorkerLost`, which the workflows answer with the next attempt. Never
 * throws; safe with any number of sweepers at once.
 */
export async function sweepLostAttempts(options: SweepOptions): Promise<SweepReport> {
  const { ownId, directory, log } = options;
  if (ownId === undefined) return NOTHING;
  let report = NOTHING;
  try {
    for (const claim of await claimDeadLedgers({ ...options, ownId })) {
      report = sum(report, await settle(claim, options));
      // The server does not answer; the other claims wait with this one.
      if (report.kept > 0) break;
    }
    await removeLitter(directory);
  } catch (error) {
    log.warn('The sweep for lost attempts failed; the next one tries again.', {
      directory,
      error: messageOf(error),
    });
  }
  return report;
}

async function settle(claim: ClaimedLedger, options: SweepOptions): Promise<SweepReport> {
  const { directory, client, log } = options;
  const { header, attempts } = claim.ledger;
  const unproved = await endSurvivors(claim);
  const isProved = ({ groups }: LedgerAttempt) => !groups.some((group) => unproved.has(group));
  const proved = attempts.filter(isProved);
  const { reported, settledBefore, problem } = await reportLost(client, proved, header.identity);
  const fields = { worker: header.identity, ledger: header.id, reported, settledBefore };
  if (unproved.size > 0) {
    log.warn(
      'Processes of a dead worker may live on; the attempts that started them are left to their timeouts.',
      { ...fields, leaders: [...unproved].map((group) => group.leader) },
    );
  }
  if (problem !== undefined) {
    log.warn('The server could not be told of lost attempts; the next sweep tries again.', {
      ...fields,
      error: problem,
    });
    return { ...NOTHING, reported, settledBefore, kept: 1 };
  }
  await rm(claim.path, { force: true });
  await removeSocket(directory, header.id, header.socket);
  if (attempts.length > 0) log.info('A worker died; its attempts were reported lost.', fields);
  const left = attempts.length - proved.length;
  return { workers: 1, reported, settledBefore, unproved: left, kept: 0 };
}

/** The groups of which it is not proved that they ended. */
async function endSurvivors({ ledger, livedAtMs }: ClaimedLedger): Promise<Set<ProcessGroup>> {
  const groups = ledger.attempts.flatMap((attempt) => attempt.groups);
  if (groups.length === 0 || ledger.header.bootId !== bootId()) return new Set();
  // In another namespace the same numbers are other processes.
  if (ledger.header.pidNamespace !== pidNamespace()) return new Set(groups);
  return new Set(await endProcessGroups(groups, livedAtMs));
}

async function removeSocket(directory: string, id: string, socket: string): Promise<void> {
  if (basename(socket) !== `${id}${SOCKET_SUFFIX}`) return;
  await rm(isAbsolute(socket) ? socket : join(directory, socket), { force: true });
}

function sum(a: SweepReport, b: SweepReport): SweepReport {
  return {
    workers: a.workers + b.workers,
    reported: a.reported + b.reported,
    settledBefore: a.settledBefore + b.settledBefore,
    unproved: a.unproved + b.unproved,
    kept: a.kept + b.kept,
  };
}
