import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa, type Options, type ResultPromise } from 'execa';
import { callScope } from './call-scope.ts';
import { captureOutput } from './capture-output.ts';
import { endProcessTree, killProcessTree, type ProcessTree } from './process-tree.ts';
import { ToolError, type ToolContext } from './tool.ts';

export interface SpawnOptions {
  /** Working directory; default: the worker's. */
  readonly cwd?: string;
  /** Variables beside the worker's own; with `extendEnv: false` in place of them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default true. `false` keeps the worker's variables, and the keys among them, from the command. */
  readonly extendEnv?: boolean;
  /** What the command reads from standard input; default: nothing. */
  readonly input?: string | Uint8Array;
  /** Milliseconds between SIGTERM and SIGKILL; default 3,000. A call is given up 5 s after it was told to stop. */
  readonly graceMs?: number;
  /** Bytes of standard output, and of standard error, that are kept; default 1 MiB each. */
  readonly maxOutputBytes?: number;
  /** Default false: what the command leaves running is ended when the command has ended. */
  readonly leaveRunning?: boolean;
}

export interface SpawnResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes of `stdout` and `stderr` that were not kept; a line in their middle says so. */
  readonly dropped: number;
}

/** Before the call is given up, so that its result need not say that something may still run. */
const DEFAULT_GRACE_MS = 3_000;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
/** Output that is held open by a process which outlives the command is left when it pauses for so long. */
const DRAIN_MS = 200;
const LONGEST_DRAIN_MS = 2_000;
const MARK = 'PERDURE_PROCESS_TREE';

/**
 * Runs a command for a tool, in a process group of its own, without a shell. A command that fails is
 * a result like any other. When the call is stopped, takes too long or its worker shuts down, the
 * whole tree of processes is ended, also those that left the group (on Linux), before this rejects
 * with the signal's reason. Should the worker die, the group is ended by the next one.
 * @throws {ToolError} when the command could not be started: it had no effect
 */
export async function spawnTool(
  ctx: Pick<ToolContext, 'signal'>,
  file: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): Promise<SpawnResult> {
  ctx.signal.throwIfAborted();
  const mark = randomUUID();
  const subprocess = execa(file, args, execaOptions(options, mark));
  const { pid } = subprocess;
  if (pid === undefined) {
    const { originalMessage, shortMessage } = await subprocess;
    throw new ToolError(`"${file}" could not be started: ${originalMessage ?? shortMessage ?? ''}`);
  }
  const tree: ProcessTree = { leader: pid, mark: `${MARK}=${mark}` };
  const maxBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const stdout = captureOutput(subprocess.stdout, maxBytes);
  const stderr = captureOutput(subprocess.stderr, maxBytes);
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
  const stopGuarding = guard(tree, graceMs, options.leaveRunning === true);

  const stopped = await exitOrAbort(subprocess, ctx.signal);
  if (stopped || options.leaveRunning !== true) await endTree(tree, graceMs, file);
  stopGuarding();
  const result = await closed(subprocess);
  if (stopped) throw ctx.signal.reason;
  const output = { stdout: stdout(), stderr: stderr() };
  return {
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: output.stdout.text,
    stderr: output.stderr.text,
    dropped: output.stdout.dropped + output.stderr.dropped,
  };
}

type Subprocess = ResultPromise<ReturnType<typeof execaOptions>>;

function execaOptions(options: SpawnOptions, mark: string) {
  return {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...options.env, [MARK]: mark },
    extendEnv: options.extendEnv ?? true,
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    detached: true,
    buffer: false,
    reject: false,
  } as const satisfies Options;
}

/** True when the call was interrupted before the command ended. */
function exitOrAbort(subprocess: Subprocess, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const onExit = (): void => settle(false);
    const onAbort = (): void => settle(true);
    const settle = (stopped: boolean): void => {
      subprocess.off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      resolve(stopped);
    };
    subprocess.on('exit', onExit);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) settle(true);
  });
}

/** The command's end, without waiting for a process that holds its output open and outlives it. */
async function closed(subprocess: Subprocess): Promise<Awaited<Subprocess>> {
  const deadline = performance.now() + LONGEST_DRAIN_MS;
  let lastData = performance.now();
  const onData = (): void => {
    lastData = performance.now();
  };
  subprocess.stdout.on('data', onData);
  subprocess.stderr.on('data', onData);
  let result: Awaited<Subprocess> | undefined;
  do {
    const pause = sleep(DRAIN_MS, undefined, { ref: false });
    result = (await Promise.race([subprocess, pause])) ?? undefined;
  } while (result === undefined && performance.now() < Math.min(deadline, lastData + DRAIN_MS));
  if (result !== undefined) return result;
  subprocess.stdout.destroy();
  subprocess.stderr.destroy();
  return subprocess;
}

/** Trees that end with this process. */
const guardedTrees = new Set<ProcessTree>();

function killGuardedTrees(): void {
  for (const tree of guardedTrees) killProcessTree(tree);
}

/** Names the group to the ledger, and ends it with the call or the process should nobody have waited. */
function guard(tree: ProcessTree, graceMs: number, leaveRunning: boolean): () => void {
  const scope = callScope.getStore();
  scope?.addProcessGroup(tree.leader);
  let guarded = true;
  const release = (): void => {
    if (!guarded) return;
    guarded = false;
    guardedTrees.delete(tree);
    if (guardedTrees.size === 0) process.off('exit', killGuardedTrees);
    scope?.removeProcessGroup(tree.leader);
  };
  if (!leaveRunning) {
    if (guardedTrees.size === 0) process.once('exit', killGuardedTrees);
    guardedTrees.add(tree);
    scope?.atEnd(async () => {
      if (guarded) await endProcessTree(tree, graceMs);
      release();
    });
  }
  return release;
}

async function endTree(tree: ProcessTree, graceMs: number, file: string): Promise<void> {
  const survivors = await endProcessTree(tree, graceMs);
  if (survivors.length === 0) return;
  callScope
    .getStore()
    ?.log.error(`processes of "${file}" could not be ended`, { processes: survivors.join(', ') });
}
