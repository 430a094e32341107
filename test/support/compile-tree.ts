import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The tree as JavaScript. Packages are found from it, as it is inside `node_modules`. */
export interface CompiledTree {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Compiles the tree once, for worker processes: one that loads TypeScript takes twice the CPU time
 * until it polls, and tests start hundreds.
 */
export async function compileTree(): Promise<CompiledTree> {
  const parent = join(root, 'node_modules', '.perdure-test');
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, 'compiled-'));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const emit = ['--noEmit', 'false', '--noCheck', '--outDir', path];
  await promisify(execFile)(process.execPath, [compiler, '-p', root, ...emit], { cwd: root });
  await cp(join(root, 'src'), join(path, 'src'), { recursive: true, filter: isFolderOrData });
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Where the compiled form of a source module is. */
export function compiledUrl(source: URL, compiledPath: string): URL {
  const path = fileURLToPath(source).slice(root.length).replace(/\.ts$/, '.js');
  return new URL(path, `file://${compiledPath}/`);
}

function isFolderOrData(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !name.includes('.') || (name.endsWith('.json') && name !== 'tsconfig.json');
}
