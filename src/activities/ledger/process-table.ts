import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFacts {
  readonly id: number;
  readonly group: number;
  /** Ended, but not yet collected by its parent. */
  readonly zombie: boolean;
  /** Opaque; together with the id it names one process of this boot. */
  readonly startedAt: string;
  readonly startedAtMs: number;
}

/** Linux counts process times in hundredths of a second for user space, whatever its own tick. */
const TICKS_PER_SECOND = 100;

/** When a process started, in a form to compare; `null` when there is no such process. */
export function startOf(id: number): string | null {
  if (process.platform === 'linux') return linuxFacts(id, bootTimeMs())?.startedAt ?? null;
  return listWithPs(['-p', String(id)])[0]?.startedAt ?? null;
}

/** Every process that this one can see. */
export function listProcesses(): readonly ProcessFacts[] {
  if (process.platform !== 'linux') return listWithPs(['-A']);
  const bootedAt = bootTimeMs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => linuxFacts(Number(name), bootedAt))
    .filter((facts) => facts !== undefined);
}

function bootTimeMs(): number {
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Date.now() - uptime * 1_000;
}

function linuxFacts(id: number, bootedAtMs: number): ProcessFacts | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${id}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the command's name in parentheses; it may hold spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const startedAt = fields[19];
  if (state === undefined || group === undefined || startedAt === undefined) return undefined;
  return {
    id,
    group: Number(group),
    zombie: state === 'Z' || state === 'X',
    startedAt,
    startedAtMs: bootedAtMs + (Number(startedAt) / TICKS_PER_SECOND) * 1_000,
  };
}

function listWithPs(selection: readonly string[]): readonly ProcessFacts[] {
  let output: string;
  try {
    output = execFileSync('/bin/ps', ['-o', 'pid=,pgid=,stat=,lstart=', ...selection], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return [];
  }
  return output.split('\n').flatMap((line) => {
    const [id, group, state, ...start] = line.trim().split(/\s+/);
    if (state === undefined || start.length === 0) return [];
    const startedAt = start.join(' ');
    return {
      id: Number(id),
      group: Number(group),
      zombie: state.startsWith('Z'),
      startedAt,
      startedAtMs: Date.parse(`${startedAt} UTC`),
    };
  });
}
