import { execFile } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bundleProblem } from './bundle-problem.ts';
import { buildPackage, type BuiltPackage } from './built-package.ts';
import { repository, run } from './scratch-project.ts';

const manifestSchema = z.object({
  name: z.literal('perdure'),
  exports: z.record(
    z.string(),
    z.union([z.literal('./package.json'), z.object({ types: z.string(), default: z.string() })]),
  ),
});

const manifest = manifestSchema.parse(
  JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')),
);
const entries = Object.entries(manifest.exports).flatMap(([entry, files]) =>
  typeof files === 'string' ? [] : [{ entry, files }],
);

const STORES = ['pg', 'ioredis', '@aws-sdk/client-s3'];

/** What a service that uses only this entry need not install. */
const NOT_NEEDED: { readonly [entry: string]: readonly string[] } = {
  '.': ['@temporalio', ...STORES],
  './models': ['@temporalio', ...STORES],
  './client': [
    '@temporalio/worker',
    '@temporalio/core-bridge',
    '@temporalio/activity',
    '@temporalio/testing',
    ...STORES,
  ],
  './worker': ['@temporalio/testing', ...STORES],
};

let built: BuiltPackage | undefined;

beforeAll(async () => {
  built = await buildPackage();
}, 120_000);

afterAll(() => built?.remove());

function builtPackage(): BuiltPackage {
  if (built === undefined) throw new Error('expected the package to be built');
  return built;
}

/** Imports an entry in a process of its own: what it exports. */
async function exportsOf(consumer: string, specifier: string): Promise<readonly string[]> {
  const program = join(consumer, 'import.mjs');
  await writeFile(
    program,
    `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifier)}))));`,
  );
  // So that packages are looked for in the consumer, not where the links lead.
  const args = ['--preserve-symlinks', '--preserve-symlinks-main', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: consumer });
  return z.array(z.string()).parse(JSON.parse(stdout));
}

const specifierOf = (entry: string) => `perdure${entry.slice(1)}`;

describe('the built package', { timeout: 60_000 }, () => {
  test.each(entries)(
    'has the files of $entry, and exports by name alone',
    async ({ entry, files }) => {
      await access(join(builtPackage().directory, files.types));
      const names = await exportsOf(await builtPackage().consumer(), specifierOf(entry));
      expect(names.length).toBeGreaterThan(0);
      if (entry !== './workflow') expect(names).not.toContain('default');
    },
  );

  test.each(Object.entries(NOT_NEEDED))('loads %s without %s', async (entry, absent) => {
    const consumer = await builtPackage().consumer(absent);
    expect((await exportsOf(consumer, specifierOf(entry))).length).toBeGreaterThan(0);
  });

  test('does not load the worker where none is installed, and says what is missing', async () => {
    const consumer = await builtPackage().consumer(['@temporalio/worker']);
    await expect(exportsOf(consumer, 'perdure/worker')).rejects.toThrow('@temporalio/worker');
  });

  test('keeps private what it does not list', async () => {
    const consumer = await builtPackage().consumer();
    await expect(exportsOf(consumer, 'perdure/dist/core/names.js')).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });

  test("lets a user's own workflows import ./workflow into the sandbox", async () => {
    const consumer = await builtPackage().consumer();
    const workflows = join(consumer, 'workflows.mjs');
    await writeFile(workflows, "export * from 'perdure/workflow';\n");
    expect(await bundleProblem(workflows)).toBeUndefined();
  });

  test('has types that a strict project can use', async () => {
    const consumer = await builtPackage().consumer();
    const imports = entries.map(
      ({ entry }, n) => `import * as entry${n} from '${specifierOf(entry)}';\nvoid entry${n};\n`,
    );
    await writeFile(join(consumer, 'uses.ts'), imports.join(''));
    await writeFile(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'nodenext',
          target: 'es2023',
          types: ['node'],
          skipLibCheck: false,
          preserveSymlinks: true,
        },
        files: ['uses.ts'],
      }),
    );
    const { output } = await run(consumer, 'tsc', ['-p', '.']);
    expect(output.split('\n').filter((line) => line.includes('perdure/'))).toEqual([]);
  });

  test('has a manifest in which publint finds no mistake', async () => {
    const { messages, pkg } = await publint({ pkgDir: builtPackage().directory, pack: false });
    const mistakes = messages.filter(({ type }) => type === 'error');
    expect(mistakes.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });
});
