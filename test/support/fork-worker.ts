import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiledUrl } from './compile-tree.ts';

const SERVE = new URL('serve.ts', import.meta.url);
const READY_TIMEOUT_MS = 40_000;

export interface WorkerProcessOptions {
  /** URL of a module whose default export makes a configuration. */
  readonly fixture: URL;
  readonly taskQueue: string;
  readonly dataDirectory: string;
  readonly heartbeatTimeoutMs?: number;
  readonly handOver?: { readonly bytes: number; readonly events: number };
  /** Passed to the fixture. */
  readonly options?: unknown;
  /** Told what the process writes, `WARN` and worse. Default: it writes errors to this one's stderr. */
  readonly onLog?: (text: string) => void;
  /** Told what the fixture sends by `process.send`. */
  readonly onMessage?: (message: unknown) => void;
}

/** Which server, and the code that is bundled and compiled already. */
export interface ServerForWorkers {
  readonly address: string;
  readonly workflowBundlePath: string;
  /** Folder of the compiled tree. */
  readonly compiledPath: string;
}

export interface WorkerProcess {
  readonly pid: number;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/** Starts a real worker process and resolves when it polls. */
export async function forkWorker(
  options: WorkerProcessOptions,
  { compiledPath, ...server }: ServerForWorkers,
): Promise<WorkerProcess> {
  const where = {
    ...server,
    taskQueue: options.taskQueue,
    dataDir: options.dataDirectory,
    heartbeatTimeout: options.heartbeatTimeoutMs,
    handOver: options.handOver,
    fixture: options.options,
    logLevel: options.onLog === undefined ? 'ERROR' : 'WARN',
  };
  const output = options.onLog === undefined ? 'inherit' : 'pipe';
  const fixture = compiledUrl(options.fixture, compiledPath).href;
  const child = fork(compiledUrl(SERVE, compiledPath), [fixture, JSON.stringify(where)], {
    execArgv: [],
    stdio: ['ignore', output, output, 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => options.onLog?.(chunk.toString()));
  }
  await ready(child);
  child.on('message', (message) => options.onMessage?.(message));
  return {
    pid: child.pid ?? 0,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
    signal: (signal) => void child.kill(signal),
  };
}

async function ready(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the worker process ended before it was ready (exit code ${code})`);
  });
  const timeout = AbortSignal.timeout(READY_TIMEOUT_MS);
  await Promise.race([once(child, 'message', { signal: timeout }), exited]);
  exited.catch(() => {});
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
