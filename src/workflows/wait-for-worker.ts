import { sleep } from '@temporalio/workflow';
import type { Memory } from './memory.ts';

/** Between two tries, as long as trying again often is of use. */
export const LONGEST_WAIT_FOR_WORKER_MS = 10_000;

/** Waits before another try of what no worker could begin, and shows so. False when the turn was stopped. */
export async function waitForWorker(memory: Memory, ms: number, why: string): Promise<boolean> {
  const { status } = memory;
  memory.show('waiting_worker', { for: why, untilMs: Date.now() + ms });
  const done = await slept(ms, 'waiting for a worker that knows the tool');
  memory.show(status === 'waiting_worker' ? 'running' : status);
  return done;
}

/** False when the turn was stopped meanwhile. */
export async function slept(ms: number, summary: string): Promise<boolean> {
  try {
    await sleep(ms, { summary });
    return true;
  } catch {
    return false;
  }
}
