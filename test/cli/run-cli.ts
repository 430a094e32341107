import { execa } from 'execa';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');

/** How `node` runs the command line from source, which loads agents that are TypeScript. */
export const NODE_ARGUMENTS = ['--conditions=perdure-source', '--import', TSX, MAIN];

/** A folder of agents files. */
export function agentsFile(name: string): string {
  return fileURLToPath(new URL(`./agents/${name}`, import.meta.url));
}

/** Without the developer's own settings: a profile, colours, a key. */
export const CLI_ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'],
};

export interface CliRun {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Default: an empty input, which is no terminal. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds; the process is killed after them. */
  readonly timeout?: number;
}

/** Half a command's time is loading TypeScript: what loads no agents runs the compiled tree. */
function nodeArguments(args: readonly string[]): readonly string[] {
  const loadsAgents =
    ['check', 'dev', 'worker'].includes(args[0] ?? '') || args.some((arg) => arg.endsWith('.ts'));
  return loadsAgents ? NODE_ARGUMENTS : [join(inject('compiledPath'), 'src', 'cli', 'main.js')];
}

/** Runs `perdure …` as a process of its own until it ends. */
export async function runCli(
  args: readonly string[],
  { input = '', cwd, env = {}, timeout = 60_000 }: CliOptions = {},
): Promise<CliRun> {
  const { exitCode, stdout, stderr } = await execa('node', [...nodeArguments(args), ...args], {
    input,
    reject: false,
    timeout,
    extendEnv: false,
    env: { ...CLI_ENVIRONMENT, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { exitCode, stdout, stderr };
}
