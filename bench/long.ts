import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PerdureClient } from '../src/client/index.ts';
import { seededRandom } from '../src/testing/crash/seeded-random.ts';
import { messageFor } from './agent.ts';
import { conversationSize } from './conversation-size.ts';
import { type Growth, RESULT_BYTES } from './growth.ts';
import type { CallReport } from './long.fixture.ts';
import { median } from './measure.ts';
import { workerProcesses } from './worker-processes.ts';

/** Tokens: what a window of 200,000 leaves room for. */
const CONTEXT_BUDGET = 100_000;
/** Runs before, so that the first steps are not those of a cold process. */
const WARM_UP_PAIRS = 200;
const TASK_QUEUE = 'bench-long';

export interface LongOptions {
  readonly pairs: number;
  readonly kills: number;
  /** Numbers of pairs at which the size is taken. */
  readonly checkpoints: readonly number[];
  readonly log: (line: string) => void;
}

export interface LongFigures {
  readonly grown: readonly Growth[];
  readonly stopReason: string;
  readonly kills: number;
  /** Milliseconds from a new worker that polls to the next call, after a kill; the median. */
  readonly resumedAfterMs: number;
  /** Milliseconds of CPU of the worker process, and of time, per step. */
  readonly first: StepCost;
  readonly last: StepCost;
  /** Of the conversation's blobs, its segments among them. */
  readonly blobBytes: number;
}

interface StepCost {
  readonly cpuMs: number;
  readonly ms: number;
}

interface Reported extends CallReport {
  readonly pid: number;
  readonly atMs: number;
}

/**
 * One long conversation with a context budget: its worker, a real process, is killed on the way, and
 * its history is continued as new again and again.
 */
export async function runLong(address: string, options: LongOptions): Promise<LongFigures> {
  const { pairs, kills, checkpoints, log } = options;
  const reports: Reported[] = [];
  let onReport = (_: Reported) => {};
  const workers = await workerProcesses(address, {
    fixture: new URL('long.fixture.ts', import.meta.url),
    taskQueue: TASK_QUEUE,
    options: { contextBudget: CONTEXT_BUDGET },
    onMessage: (message, { pid }) => {
      const report = { ...(message as CallReport), pid, atMs: performance.now() };
      reports.push(report);
      onReport(report);
    },
  });
  const client = await PerdureClient.connect({ address, taskQueue: TASK_QUEUE });
  const reaching = (n: number) =>
    new Promise<void>((resolve) => {
      onReport = (report) => {
        if (report.n >= n) resolve();
      };
    });
  let worker = await workers.start();
  try {
    const warmUp = await client.start('bench', {
      message: messageFor(WARM_UP_PAIRS, RESULT_BYTES),
    });
    await warmUp.result();
    reports.length = 0;
    const id = 'long';
    const conversation = await client.start('bench', {
      id,
      message: messageFor(pairs, RESULT_BYTES),
    });
    const random = seededRandom(1);
    const events = [
      ...checkpoints.filter((at) => at < pairs).map((at) => ({ at, kind: 'size' as const })),
      ...killsAt(pairs, kills).map((at) => ({ at, kind: 'kill' as const })),
    ].toSorted((a, b) => a.at - b.at);
    const grown: Growth[] = [];
    const resumes: number[] = [];
    for (const { at, kind } of events) {
      await reaching(at - 1);
      if (kind === 'size') {
        const size = await conversationSize(client.temporal, id);
        grown.push({ pairs: at, ...size });
        log(`${at} pairs: ${size.runs} runs, ${Math.round(size.bytes / at)} bytes per pair`);
        continue;
      }
      await pause(random.between(0, 60));
      await worker.kill();
      worker = await workers.start();
      const readyAt = performance.now();
      await reaching(at - 1);
      resumes.push(performance.now() - readyAt);
      log(
        `killed after pair ${at}; the next call came ${Math.round(resumes.at(-1) ?? 0)} ms after its worker was ready`,
      );
    }
    const { stopReason } = await conversation.result();
    grown.push({ pairs, ...(await conversationSize(client.temporal, id)) });
    checkCalls(reports, pairs);
    const window = Math.min(100, Math.round(pairs / 10));
    return {
      grown,
      stopReason,
      kills: resumes.length,
      resumedAfterMs: median(resumes),
      first: costOf(reports, 0, window),
      last: costOf(reports, pairs - window, window),
      blobBytes: await bytesUnder(join(workers.dataDirectory, 'blobs', id)),
    };
  } finally {
    await client.close();
    await workers.end();
  }
}

/** Spread over the middle: the first and the last steps are measured undisturbed. */
function killsAt(pairs: number, kills: number): number[] {
  const [from, to] = [pairs * 0.15, pairs * 0.85];
  return Array.from({ length: kills }, (_, n) => Math.round(from + ((to - from) * n) / kills));
}

/** A call may be made again when its worker was killed; none may be left out. */
function checkCalls(reports: readonly Reported[], pairs: number): void {
  const made = new Set(reports.map(({ n }) => n));
  if (made.size !== pairs) throw new Error(`expected ${pairs} calls, saw ${made.size}`);
}

/** Mean over a window of steps that one process made. */
function costOf(reports: readonly Reported[], from: number, count: number): StepCost {
  const window = reports.filter(({ n }) => n >= from && n < from + count);
  const [first, last] = [window[0], window.at(-1)];
  if (first === undefined || last === undefined || first.pid !== last.pid) {
    throw new Error(`steps from ${from} were not made by one process`);
  }
  const steps = last.n - first.n;
  return { cpuMs: (last.cpuMs - first.cpuMs) / steps, ms: (last.atMs - first.atMs) / steps };
}

async function bytesUnder(directory: string): Promise<number> {
  const files = await readdir(directory);
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(directory, file))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
