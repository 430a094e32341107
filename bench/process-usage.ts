import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts a process's time in these, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

export interface ProcessUsage {
  /** Milliseconds of CPU, all threads, user and system. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly bytes: number;
}

/** What a process has used so far, from `/proc`. */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  // The program's name, in parentheses, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  const kibibytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  return {
    cpuMs: (((user ?? Number.NaN) + (system ?? Number.NaN)) * 1_000) / TICKS_PER_SECOND,
    bytes: kibibytes * 1_024,
  };
}

/** CPU that processes use while nobody asks them anything: milliseconds per second, each. */
export async function idleCpu(pids: readonly number[], seconds: number): Promise<number[]> {
  const before = await Promise.all(pids.map(usageOf));
  await sleep(seconds * 1_000);
  const after = await Promise.all(pids.map(usageOf));
  return after.map(({ cpuMs }, n) => (cpuMs - (before[n]?.cpuMs ?? Number.NaN)) / seconds);
}
