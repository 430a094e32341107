import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const KEPT_LOG_LINES = 40;

/** How long the server gets to end by itself before it is killed. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * Runs "$@" as this very process, beside a watcher in the same process group that ends it when
 * standard input closes, that is when the process that started us is gone, however it went. The
 * watcher is killed with the group.
 */
const ENDS_WITH_ITS_PARENT = `
  exec 3<&0 </dev/null
  {
    trap '' TERM INT
    read -r nothing <&3
    kill -TERM -$$
    tries=0
    while [ $tries -lt 50 ] && kill -0 $$ 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL -$$
  } >/dev/null 2>&1 &
  exec "$@" 3<&-
`;

export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended: how, and the tail of its log. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it: SIGTERM, after 10 s SIGKILL. Resolves when it is gone; more than once is fine. */
  stop(): Promise<void>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly logTail: string;
}

/**
 * Starts the server in a process group of its own, so that a Ctrl-C reaches only us and the server
 * is there until our worker has finished; it dies with us all the same.
 */
export function startServerProcess(
  program: string,
  args: readonly string[],
  log: (line: string) => void,
): ServerProcess {
  const isWindows = process.platform === 'win32';
  const child = isWindows
    ? spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    : spawn('sh', ['-c', ENDS_WITH_ITS_PARENT, 'sh', program, ...args], {
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
  // Only a signal of ours can end it there; elsewhere the watcher does, also after a crash.
  const onExit = () => child.kill();
  if (isWindows) process.once('exit', onExit);

  const tail: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      tail.push(line);
      if (tail.length > KEPT_LOG_LINES) tail.shift();
      log(line);
    });
  }
  // A pipe whose reader is gone must not take this process along.
  child.stdin.on('error', () => {});

  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error) => {
      resolve({ code: null, signal: null, logTail: error.message });
    });
    child.once('close', (code, signal) => {
      process.removeListener('exit', onExit);
      resolve({ code, signal, logTail: tail.join('\n') });
    });
  }).finally(() => killGroup(child));

  return {
    pid: child.pid ?? 0,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(killer);
    },
  };
}

/** What is left of the group: the watcher. */
function killGroup(child: ChildProcess): void {
  child.stdin?.destroy();
  if (process.platform === 'win32' || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The watcher was quicker.
  }
}
