import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What belongs to one command: its process group, and whatever carries its mark. */
export interface ProcessTree {
  /** Process id of the group's leader, which is the group's id. */
  readonly leader: number;
  /** `NAME=value` in the environment of every process that the command started, also of those that left the group. */
  readonly mark: string;
}

const POLL_MS = 50;
/** After SIGKILL only a process that hangs in the kernel is left. */
const KILL_WAIT_MS = 2_000;

/**
 * Ends every process of a tree: SIGTERM, a time to clean up, SIGKILL. Processes that left the group
 * are found by their mark on Linux; elsewhere only the group is ended.
 * @returns process ids that are still there (a process that the system holds, or one of another user)
 */
export async function endProcessTree(
  tree: ProcessTree,
  graceMs: number,
): Promise<readonly number[]> {
  signalTree(tree, 'SIGTERM');
  // A stopped process takes SIGTERM only once it goes on.
  signalTree(tree, 'SIGCONT');
  if ((await untilGone(tree, graceMs)).length === 0) return [];
  signalTree(tree, 'SIGKILL');
  return untilGone(tree, KILL_WAIT_MS, () => signalTree(tree, 'SIGKILL'));
}

/** Ends a tree at once, for a process that is about to exit. */
export function killProcessTree(tree: ProcessTree): void {
  signalTree(tree, 'SIGKILL');
}

/** Process ids of a tree that are running. */
export function membersOf(tree: ProcessTree): readonly number[] {
  if (process.platform !== 'linux') return groupExists(tree.leader) ? [tree.leader] : [];
  return processIds().filter((pid) => pid !== process.pid && belongsTo(pid, tree));
}

function signalTree(tree: ProcessTree, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    // There are no groups; a tree is what its processes started.
    spawnSync('taskkill', ['/pid', String(tree.leader), '/t', '/f'], { windowsHide: true });
    return;
  }
  sendSignal(-tree.leader, signal);
  if (process.platform !== 'linux') return;
  for (const pid of membersOf(tree)) sendSignal(pid, signal);
}

async function untilGone(
  tree: ProcessTree,
  waitMs: number,
  again: () => void = () => undefined,
): Promise<readonly number[]> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const left = membersOf(tree);
    if (left.length === 0 || performance.now() >= deadline) return left;
    await sleep(POLL_MS);
    again();
  }
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function belongsTo(pid: number, { leader, mark }: ProcessTree): boolean {
  try {
    // The name, in parentheses, may hold anything; after it: state, parent, group.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return false;
    if (Number(group) === leader) return true;
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${mark}\0`);
  } catch {
    // It has ended meanwhile, or is another user's.
    return false;
  }
}

function groupExists(leader: number): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, 0);
    return true;
  } catch {
    return false;
  }
}

function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended meanwhile; what is left is looked for after.
  }
}
