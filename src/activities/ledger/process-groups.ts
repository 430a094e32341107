import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessGroup } from './ledger-file.ts';
import { listProcesses, type ProcessFacts } from './process-table.ts';

/** Time for a process to clean up after SIGTERM; the next attempt of its call waits for it. */
const TERM_GRACE_MS = 500;
const KILL_WAIT_MS = 2_000;
const POLL_INTERVAL_MS = 20;

/**
 * Ends what survived of process groups whose worker is dead, and says which could not be ended or
 * could not be told from a stranger's: of those it is not proved that they do nothing any more.
 * `workerLivedAtMs` is a time at which the worker still lived and had these groups on its list.
 */
export async function endProcessGroups(
  groups: readonly ProcessGroup[],
  workerLivedAtMs: number,
): Promise<readonly ProcessGroup[]> {
  const unproved: ProcessGroup[] = [];
  const ours: ProcessGroup[] = [];
  const processes = listProcesses();
  for (const group of groups) {
    const verdict = judge(group, processes, workerLivedAtMs);
    if (verdict === 'ours') ours.push(group);
    if (verdict === 'unknown') unproved.push(group);
  }
  const stubborn = await signalAndWait(ours, 'SIGTERM', TERM_GRACE_MS);
  unproved.push(...(await signalAndWait(stubborn, 'SIGKILL', KILL_WAIT_MS)));
  return unproved;
}

/**
 * The system does not give an id to a new process while a group of that id has members. So a group
 * is the old one as a whole, or a stranger's as a whole, and one process tells which: the leader by
 * its start, or a member that is older than the worker's death.
 */
function judge(
  group: ProcessGroup,
  processes: readonly ProcessFacts[],
  workerLivedAtMs: number,
): 'gone' | 'ours' | 'foreign' | 'unknown' {
  const leader = processes.find((one) => one.id === group.leader);
  const members = membersOf(group, processes);
  if (leader !== undefined && leader.startedAt !== group.startedAt) return 'foreign';
  if (members.length === 0) return 'gone';
  if (leader !== undefined) return 'ours';
  return members.some((one) => one.startedAtMs <= workerLivedAtMs) ? 'ours' : 'unknown';
}

function membersOf(
  group: ProcessGroup,
  processes: readonly ProcessFacts[],
): readonly ProcessFacts[] {
  return processes.filter((one) => one.group === group.leader && !one.zombie);
}

/** The groups that still have members after the wait. */
async function signalAndWait(
  groups: readonly ProcessGroup[],
  signal: 'SIGTERM' | 'SIGKILL',
  waitMs: number,
): Promise<readonly ProcessGroup[]> {
  for (const group of groups) signalGroup(group, signal);
  const deadline = Date.now() + waitMs;
  let left = groups;
  while (left.length > 0) {
    const processes = listProcesses();
    left = left.filter((group) => membersOf(group, processes).length > 0);
    if (left.length === 0 || Date.now() >= deadline) break;
    await delay(POLL_INTERVAL_MS);
  }
  return left;
}

function signalGroup(group: ProcessGroup, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group.leader, signal);
  } catch {
    // Ended meanwhile, or not ours to signal: the members that are left will tell.
  }
}
