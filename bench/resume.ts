import { loadavg } from 'node:os';
import type { KillPoint } from '../src/testing/index.ts';
import type { Interrupted } from '../src/testing/crash/resume-times.ts';
import { storm } from '../test/faults/storm.ts';
import { compileTree } from '../test/support/compile-tree.ts';
import { table } from './measure.ts';

export interface ResumeOptions {
  /** SIGKILLs of each row. */
  readonly kills: number;
  readonly seed: number;
}

interface Row {
  readonly what: string;
  readonly interrupted: Interrupted;
  readonly points: readonly KillPoint[];
  /** Conversations at the same time. */
  readonly atOnce: number;
}

const ATTEMPTS: readonly KillPoint[] = [
  'before model',
  'in model',
  'after model',
  'before tool',
  'before effect',
  'after effect',
  'after tool',
];
const ROWS: readonly Row[] = [
  { what: 'an attempt', interrupted: 'an attempt', points: ATTEMPTS, atOnce: 1 },
  { what: 'an attempt, 8 at once', interrupted: 'an attempt', points: ATTEMPTS, atOnce: 8 },
  { what: 'a pending approval', interrupted: 'waiting', points: ['approval'], atOnce: 1 },
  { what: 'a chat that waits', interrupted: 'waiting', points: ['idle'], atOnce: 3 },
  {
    what: 'a workflow task',
    interrupted: 'a workflow task',
    points: ['workflow task'],
    atOnce: 1,
  },
];

/** How soon a conversation goes on after `kill -9`, when the next worker starts at once on the same host. */
export async function measureResume(address: string, options: ResumeOptions): Promise<void> {
  const compiled = await compileTree();
  const rows: (readonly (string | number)[])[] = [];
  try {
    for (const { what, interrupted, points, atOnce } of ROWS) {
      const report = await storm({
        ...options,
        points,
        atOnce,
        // A message that comes while no worker polls waits two seconds for the dead one.
        talk: false,
        // The server's own: how long a lost one takes is a row of the table.
        workflowTaskTimeout: '10 seconds',
        address,
        compiledPath: compiled.path,
      });
      const { count, p50, p95, max } = report.resume[interrupted];
      rows.push([what, count, p50, p95, max]);
      for (const problem of report.problems) console.log(problem);
      if (report.problems.length > 0) process.exitCode = 1;
    }
  } finally {
    await compiled.remove();
  }
  console.log(
    `\nMilliseconds from "the next worker polls" to the next attempt (waiting: from the message or verdict, when that came later); load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  console.log(table(['killed in', 'times', 'p50', 'p95', 'max'], rows));
}
