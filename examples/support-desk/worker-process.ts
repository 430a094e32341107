import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  /** Milliseconds from its start until it polled. */
  readonly readyAfterMs: number;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorkerProcess(
  address: string,
  dataDirectory: string,
): Promise<WorkerProcess> {
  const startedMs = Date.now();
  const child = fork(WORKER, [address, dataDirectory], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the worker ended before it was ready (exit code ${code})`);
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    pid: child.pid ?? 0,
    readyAfterMs: Date.now() - startedMs,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
