import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The files that make the fences, as the repository has them. */
const FENCE_FILES = [
  'package.json',
  'tsconfig.json',
  '.oxlintrc.json',
  'src/workflows/tsconfig.json',
];

export interface ScratchProject {
  readonly directory: string;
  write(file: string, content: string): Promise<void>;
  append(file: string, content: string): Promise<void>;
  /** Copies a file or folder of the repository. */
  take(path: string): Promise<void>;
}

/** A project of our fence files and nothing else, removed after the test. */
export async function scratchProject(): Promise<ScratchProject> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'perdure-fence-')));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const take = (path: string) =>
    cp(join(repository, path), join(directory, path), { recursive: true });
  await Promise.all(FENCE_FILES.map(take));
  await symlink(join(repository, 'node_modules'), join(directory, 'node_modules'));
  return {
    directory,
    take,
    write: async (file, content) => {
      const path = join(directory, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
    append: (file, content) => appendFile(join(directory, file), content),
  };
}

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Runs a program of the repository's dependencies; a failure is an outcome. */
export async function run(
  directory: string,
  program: string,
  args: readonly string[],
): Promise<Outcome> {
  const path = join(repository, 'node_modules', '.bin', program);
  try {
    const { stdout } = await promisify(execFile)(path, args, {
      cwd: directory,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, output: stdout };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number')
      throw error;
    const output = 'stdout' in error ? String(error.stdout) : '';
    return { code: error.code, output };
  }
}
