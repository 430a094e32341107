import { readConfig } from '../config.ts';
import type { PerdureConfig } from '../define-config.ts';
import { type ResolvedSettings, resolveSettings } from '../worker/worker-settings.ts';
import { findConfigFile, loadAgentsFile } from './agents-file.ts';
import { CliError } from './cli-error.ts';

export interface SettingsOptions {
  /** A file; false: none; default: `perdure.config.ts` and its like, if one is here. */
  readonly config?: string | false;
  readonly taskQueue?: string;
  readonly dataDir?: string;
}

export interface SettingsHere extends ResolvedSettings {
  /** Of the configuration file; none without one. */
  readonly agents: PerdureConfig['agents'];
}

/**
 * Stores and task queue of the workers: as options say, else the configuration file, else the
 * environment. `devDirectory`: of the `perdure dev` that is used, which serves from it whatever the
 * file says.
 */
export async function settingsHere(
  options: SettingsOptions,
  devDirectory?: string,
): Promise<SettingsHere> {
  const { agents = [], ...settings } = await workerSettings(options.config);
  const dataDir = devDirectory ?? options.dataDir ?? settings.dataDir;
  const taskQueue = options.taskQueue ?? settings.taskQueue;
  const resolved = await resolveSettings(
    {
      ...settings,
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(taskQueue === undefined ? {} : { taskQueue }),
    },
    readConfig(),
  );
  return { ...resolved, agents };
}

async function workerSettings(file: string | false | undefined): Promise<Partial<PerdureConfig>> {
  const path = file === false ? undefined : findConfigFile(file);
  if (path === undefined) return {};
  try {
    return (await loadAgentsFile(path)).config;
  } catch (error) {
    if (!(error instanceof CliError) || file !== undefined) throw error;
    throw new CliError(`${error.message} (--no-config goes on without its stores)`, {
      cause: error,
    });
  }
}
