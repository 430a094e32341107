import { execa } from 'execa';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');

/** How `node` runs the command line from source. */
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

/** Runs `perdure …` as a process of its own until it ends. */
export async function runCli(
  args: readonly string[],
  { input = '', cwd, env = {}, timeout = 60_000 }: CliOptions = {},
): Promise<CliRun> {
  const { exitCode, stdout, stderr } = await execa('node', [...NODE_ARGUMENTS, ...args], {
    input,
    reject: false,
    timeout,
    extendEnv: false,
    env: { ...CLI_ENVIRONMENT, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { exitCode, stdout, stderr };
}
