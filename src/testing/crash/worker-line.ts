import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromWorker, Reached, Serve, ToWorker, WorkerArguments } from './messages.ts';

export interface WorkerLineOptions {
  readonly arguments: WorkerArguments;
  readonly serve: Serve;
  readonly onReached: (reached: Reached, go: () => void) => void;
  /** The process's compiled module, where `config` is compiled too. Default: TypeScript is loaded as it is. */
  readonly compiledEntry?: URL;
}

export type Loaded = Extract<FromWorker, { kind: 'loaded' }>;

/** More than one: kills come faster than a process loads, now and then. */
const KEPT_WAITING = 2;

/** Worker processes, one after another: one serves, the next ones are loaded and wait. */
export interface WorkerLine {
  /** What the first process says of the agents. */
  loaded(): Promise<Loaded>;
  /** Lets the next process serve; resolves when it polls, with the time. */
  serveNext(): Promise<number>;
  /** Begins to load the processes after the one that serves. */
  prepareNext(): void;
  /** SIGKILL to the process that serves; resolves when it is gone. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export function openWorkerLine(options: WorkerLineOptions): WorkerLine {
  let serving: WorkerProcess | undefined;
  let isClosed = false;
  const waiting = [startProcess(options)];
  return {
    loaded: () => (waiting[0] ?? startProcess(options)).loaded,
    async serveNext() {
      serving = waiting.shift() ?? startProcess(options);
      await serving.serve(options.serve);
      return Date.now();
    },
    prepareNext() {
      while (!isClosed && waiting.length < KEPT_WAITING) waiting.push(startProcess(options));
    },
    async kill() {
      await serving?.kill();
      serving = undefined;
    },
    async close() {
      isClosed = true;
      const processes = serving === undefined ? waiting : [serving, ...waiting];
      await Promise.all(processes.map((process) => process.kill()));
    },
  };
}

interface WorkerProcess {
  readonly loaded: Promise<Loaded>;
  serve(where: Serve): Promise<void>;
  kill(): Promise<void>;
}

function startProcess(options: WorkerLineOptions): WorkerProcess {
  const { arguments: given, onReached, compiledEntry } = options;
  const child = fork(compiledEntry ?? entry(), [JSON.stringify(given)], {
    execArgv: compiledEntry === undefined ? loaderArguments() : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let isKilled = false;
  const tell = (message: ToWorker): void => {
    // A process that was killed meanwhile has no need of an answer.
    if (child.connected) child.send(message, () => {});
  };
  const { heard, ended } = listen(child);
  child.on('message', (message: FromWorker) => {
    if (message.kind !== 'reached' || isKilled) return;
    onReached(message, () => tell({ kind: 'go', n: message.n }));
  });
  return {
    loaded: heard('loaded'),
    async serve(where) {
      await heard('loaded');
      const ready = heard('ready');
      tell(where);
      await ready;
    },
    async kill() {
      isKilled = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function listen(child: ChildProcess) {
  let why: string | undefined;
  const said: FromWorker[] = [];
  const listeners = new Set<() => void>();
  child.on('message', (message: FromWorker) => {
    if (message.kind === 'reached') return;
    if (message.kind === 'failed') why = message.message;
    said.push(message);
    for (const listener of listeners) listener();
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    why ??= `it ended before (${String(signal ?? `exit code ${code}`)})`;
    for (const listener of listeners) listener();
  });
  const heard = <Kind extends 'loaded' | 'ready'>(kind: Kind) => {
    const message = new Promise<Extract<FromWorker, { kind: Kind }>>((resolve, reject) => {
      const look = (): void => {
        const found = said.find((one) => one.kind === kind);
        if (found !== undefined) resolve(found as Extract<FromWorker, { kind: Kind }>);
        else if (why !== undefined)
          reject(new Error(`the worker process did not become ${kind}: ${why}`));
      };
      listeners.add(look);
      look();
    });
    // Whoever asks hears of it; nobody has to.
    message.catch(() => {});
    return message;
  };
  return { heard, ended };
}

/** Beside this file, in `src` and in `dist` alike. */
function entry(): string {
  return fileURLToPath(new URL(`./crash-worker.${isSource() ? 'ts' : 'js'}`, import.meta.url));
}

/** Loads the user's TypeScript without a build step, and ours where we run from source. */
function loaderArguments(): string[] {
  const condition = isSource() ? ['--conditions=perdure-source'] : [];
  return [...condition, '--import', import.meta.resolve('tsx')];
}

function isSource(): boolean {
  return import.meta.url.endsWith('.ts');
}
