import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository, run } from './scratch-project.ts';

const PUBLISHED = ['package.json', 'dist'];

/** The package as a user of it has it, in a scratch directory. */
export interface BuiltPackage {
  readonly directory: string;
  /** A project that has the package and its dependencies installed, but those named. */
  consumer(without?: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Builds the package as `npm run build` does, into a scratch directory. */
export async function buildPackage(): Promise<BuiltPackage> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'perdure-built-')));
  const directory = join(scratch, 'package');
  const built = await run(repository, 'tsx', ['scripts/build.ts', join(directory, 'dist')]);
  if (built.code !== 0) throw new Error(`the package does not build:\n${built.output}`);
  await cp(join(repository, 'package.json'), join(directory, 'package.json'));
  let n = 0;
  return {
    directory,
    consumer: async (without = []) => {
      const consumer = join(scratch, `consumer-${(n += 1)}`);
      for (const name of await installedPackages()) {
        if (without.some((left) => name === left || name.startsWith(`${left}/`))) continue;
        await link(join(repository, 'node_modules', name), join(consumer, 'node_modules', name));
      }
      for (const file of PUBLISHED) {
        await cp(join(directory, file), join(consumer, 'node_modules/perdure', file), {
          recursive: true,
        });
      }
      return consumer;
    },
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}

async function installedPackages(): Promise<readonly string[]> {
  const names = await readdir(join(repository, 'node_modules'));
  const packages = names
    .filter((name) => !name.startsWith('.'))
    .map(async (name) => {
      if (!name.startsWith('@')) return [name];
      const scoped = await readdir(join(repository, 'node_modules', name));
      return scoped.map((inner) => `${name}/${inner}`);
    });
  return (await Promise.all(packages)).flat();
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}
