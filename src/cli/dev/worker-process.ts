import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromWorker, Serve } from './messages.ts';

/** A worker process that was told to stop finishes its `once` calls first; then it has this long. */
const KILL_AFTER_MS = 10_000;

export interface WorkerProcess {
  /** The names of its agents, when the file is loaded. Rejects when the process ended before. */
  readonly loaded: Promise<readonly string[]>;
  /** Resolves when it polls. Rejects when the process ended before. */
  readonly ready: Promise<void>;
  /** Resolves with how it ended: `code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  serve(where: Serve): void;
  /** Asks it to end, and makes it end after a while. */
  stop(): Promise<void>;
  kill(): void;
}

/** The worker process ended before it was of use; the message says why. */
class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded';
}

/** Starts a process that loads the agents file and waits to be told where to serve. */
export function startWorkerProcess(
  agentsFile: string,
  options: { readonly debug: boolean; readonly onImport: (file: string) => void },
): WorkerProcess {
  const child = fork(entry(), [agentsFile, ...(options.debug ? ['--debug'] : [])], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Its own group: Ctrl-C reaches it through us, once.
    detached: true,
  });
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `code ${code}`));
  let why: string | undefined;
  child.on('message', (message: FromWorker) => {
    if (message.kind === 'imported') options.onImport(message.file);
    if (message.kind === 'failed') why = message.message;
  });
  const heard = <Kind extends FromWorker['kind']>(kind: Kind) =>
    new Promise<Extract<FromWorker, { kind: Kind }>>((resolve, reject) => {
      child.on('message', (message: FromWorker) => {
        if (message.kind === kind) resolve(message as Extract<FromWorker, { kind: Kind }>);
      });
      void ended.then((how) => {
        reject(new WorkerEnded(why ?? `the worker process ended (${how})`));
      });
    });
  const loaded = heard('loaded').then(({ agents }) => agents);
  const ready = heard('ready').then(() => {});
  // Whoever asks hears of it; nobody has to.
  loaded.catch(() => {});
  ready.catch(() => {});
  return {
    loaded,
    ready,
    ended,
    serve: (where) => {
      if (child.connected) child.send(where);
    },
    stop: () => stop(child, ended),
    kill: () => child.kill('SIGKILL'),
  };
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  await ended;
  clearTimeout(timer);
}

/** Beside this file, in `src` and in `dist` alike. */
function entry(): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./dev-worker.${ending}`, import.meta.url));
}
