import { Command, Option } from 'commander';

/** Options of every command. */
export interface CommonOptions {
  readonly json: boolean;
  readonly debug: boolean;
}

/** Options of every command that talks to a server. */
export interface ServerOptions extends CommonOptions {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly taskQueue?: string;
  readonly dataDir?: string;
  /** Of `storesCommand` only; false: `--no-config`. */
  readonly config?: string | false;
}

/** A command with the options that all have. */
export function plainCommand(name: string): Command {
  return new Command(name)
    .option('--json', 'results as JSON', false)
    .option('--debug', 'show the stack of an error', false);
}

/** A command that talks to a Temporal server. */
export function serverCommand(name: string): Command {
  return plainCommand(name)
    .option(
      '--address <host:port>',
      'Temporal server; default: a running `perdure dev`, else the Temporal profile',
    )
    .option('--namespace <name>', 'Temporal namespace')
    .option('--profile <name>', 'Temporal profile (temporal.toml)')
    .option('--task-queue <name>', 'where the workers listen (default: "perdure")')
    .addOption(dataDirectoryOption());
}

/** A command that also uses the task queue and the stores of the workers. */
export function storesCommand(name: string): Command {
  return serverCommand(name)
    .option(
      '--config <file>',
      'agents file whose stores and task queue are used (default: perdure.config.ts, if it is here)',
    )
    .option('--no-config', 'use no agents file: the stores that the environment names');
}

export function dataDirectoryOption(): Option {
  return new Option(
    '--data-dir <folder>',
    'where `perdure dev` keeps its data (default: PERDURE_DATA_DIR, else ".perdure")',
  );
}
