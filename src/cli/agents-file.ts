import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeError } from '../core/describe-error.ts';
import { isJsonObject } from '../core/json.ts';
import { checkConfig, type PerdureConfig } from '../define-config.ts';
import { CliError } from './cli-error.ts';
import { loadTypeScript } from './typescript-loader.ts';

/** Looked for in the working directory, in this order. */
const CONFIG_FILES = ['ts', 'mts', 'js', 'mjs'].map((ending) => `perdure.config.${ending}`);

/** What an agents file says: what `defineConfig` made, or the agents that it exports. */
export interface AgentsFile {
  /** Absolute. */
  readonly path: string;
  /** Checked; at least one agent is in it. */
  readonly config: PerdureConfig;
}

/** The file that was named, or `perdure.config.ts` and its like here. */
export function agentsFilePath(file: string | undefined): string {
  const found = findConfigFile(file);
  if (found !== undefined) return found;
  throw new CliError(
    `no agents file was named, and there is no ${CONFIG_FILES[0]} here: name a file that exports agents`,
  );
}

/** The same; undefined where none was named, and none is here. */
export function findConfigFile(file: string | undefined): string | undefined {
  if (file === undefined) {
    return CONFIG_FILES.map((name) => resolve(name)).find((path) => existsSync(path));
  }
  const path = resolve(file);
  if (existsSync(path)) return path;
  throw new CliError(`there is no agents file ${path}: name a file that exports agents`);
}

/**
 * Loads an agents file: TypeScript or JavaScript, without a build step. `onImport` is told each of
 * the user's files that it loads.
 * @throws {CliError} when it cannot be loaded, throws, or exports no agent.
 */
export async function loadAgentsFile(
  path: string,
  onImport: (file: string) => void = () => {},
): Promise<AgentsFile> {
  await loadTypeScript(onImport);
  let exported: unknown;
  try {
    exported = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new CliError(`the agents file ${path} cannot be loaded: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  try {
    return { path, config: checkConfig(configIn(exported, path)) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`the agents file ${path} is not usable: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** What `defineConfig` made, or else the agents that are exported, alone or in lists. */
function configIn(exported: unknown, path: string): object {
  const values = exportedValues(exported);
  const config = values.find(isConfig);
  if (config !== undefined) return config;
  const agents = values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isAgent);
  if (agents.length > 0) return { agents: [...new Set(agents)] };
  const names = isJsonObject(exported) ? Object.keys(exported) : [];
  throw new CliError(
    `the agents file ${path} exports ${names.length === 0 ? 'nothing' : `no agent (only ${names.slice(0, 10).join(', ')})`}: ` +
      'export what defineAgent returns, or a default defineConfig({ agents: […] })',
  );
}

/** Of a script, Node gives the exports as the default export: look there too. */
function exportedValues(exported: unknown): readonly unknown[] {
  if (typeof exported !== 'object' || exported === null) return [];
  const own = Object.values(exported);
  const inner = 'default' in exported ? exported.default : undefined;
  const isPlain =
    typeof inner === 'object' && inner !== null && !isAgent(inner) && !isConfig(inner);
  return isPlain ? [...own, ...Object.values(inner)] : own;
}

function isConfig(value: unknown): value is object {
  return isJsonObject(value) && Array.isArray(value['agents']);
}

function isAgent(value: unknown): boolean {
  return isJsonObject(value) && value['kind'] === 'agent' && typeof value['name'] === 'string';
}

/** What was thrown, and where in the user's files. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw what is ${describeError(error)}`;
  const problems: unknown = 'problems' in error ? error.problems : undefined;
  if (Array.isArray(problems)) return problems.join('; ');
  const words = (error.stack ?? '').replace(error.message, '').split(/[\s()]+/);
  const place = words.find((word) => /^(?:file:\/)?\/.*:\d+:\d+$/.test(word));
  const isUsers = place !== undefined && !place.includes('/node_modules/');
  return `${error.name}: ${error.message}${isUsers ? ` (${place})` : ''}`;
}
