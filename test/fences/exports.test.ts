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
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});

const manifest = manifestSchema.parse(
  JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')),
);
const entries = Object.entries(manifest.exports).flatMap(([entry, files]) =>
  typeof files === 'string' ? [] : [{ entry, files }],
);

const optionalPeers = Object.keys(manifest.peerDependenciesMeta);
const peers = Object.keys(manifest.peerDependencies);

/** What a project that uses only this entry need not install. */
const NOT_NEEDED: { readonly [entry: string]: readonly string[] } = {
  '.': peers,
  './models': peers,
  './client': [...optionalPeers, '@temporalio/core-bridge'],
  './worker': optionalPeers.filter(
    (name) => name !== '@temporalio/worker' && name !== '@temporalio/activity',
  ),
};

/** The package, and a project that has it and all of its dependencies. */
interface Built {
  readonly package: BuiltPackage;
  readonly consumer: string;
}

let building: Promise<Built> | undefined;

beforeAll(async () => {
  building = buildPackage().then(async (built) => ({
    package: built,
    consumer: await built.consumer(),
  }));
  await building;
}, 120_000);

afterAll(async () => {
  await building?.then((built) => built.package.remove());
});

async function theBuilt(): Promise<Built> {
  if (building === undefined) throw new Error('expected the package to be built');
  return building;
}

/** Imports entries in a process of its own: what each exports. */
async function exportsOf(
  consumer: string,
  specifiers: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const program = join(consumer, 'import.mjs');
  await writeFile(
    program,
    `const entries = await Promise.all(${JSON.stringify(specifiers)}.map((name) => import(name)));
     console.log(JSON.stringify(entries.map(Object.keys)));`,
  );
  // So that packages are looked for in the consumer, not where the links lead.
  const args = ['--preserve-symlinks', '--preserve-symlinks-main', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: consumer });
  return z.array(z.array(z.string())).parse(JSON.parse(stdout));
}

const specifierOf = (entry: string) => `perdure${entry.slice(1)}`;

describe('the built package', { timeout: 60_000 }, () => {
  test('has the types of every entry, and exports something from each, by name alone', async () => {
    const built = await theBuilt();
    for (const { files } of entries) await access(join(built.package.directory, files.types));
    const named = entries.filter(({ entry }) => entry !== './workflow');
    const exported = await exportsOf(
      built.consumer,
      named.map(({ entry }) => specifierOf(entry)),
    );
    for (const names of exported) {
      expect(names.length).toBeGreaterThan(0);
      expect(names).not.toContain('default');
    }
  });

  test.each(Object.entries(NOT_NEEDED))('loads %s without %s', async (entry, absent) => {
    const consumer = await (await theBuilt()).package.consumer(absent);
    const [names] = await exportsOf(consumer, [specifierOf(entry)]);
    expect(names?.length).toBeGreaterThan(0);
  });

  test('does not load the worker where none is installed, and says what is missing', async () => {
    const consumer = await (await theBuilt()).package.consumer(['@temporalio/worker']);
    await expect(exportsOf(consumer, ['perdure/worker'])).rejects.toThrow('@temporalio/worker');
  });

  test('keeps private what it does not list', async () => {
    const { consumer } = await theBuilt();
    await expect(exportsOf(consumer, ['perdure/dist/core/names.js'])).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });

  test("lets a user's own workflows import ./workflow into the sandbox", async () => {
    const workflows = join((await theBuilt()).consumer, 'workflows.mjs');
    await writeFile(workflows, "export * from 'perdure/workflow';\n");
    expect(await bundleProblem(workflows)).toBeUndefined();
  });

  test('has types that a strict project can use', async () => {
    const { consumer } = await theBuilt();
    const imports = entries.map(
      ({ entry }, n) => `import * as entry${n} from '${specifierOf(entry)}';\nvoid entry${n};\n`,
    );
    await writeFile(join(consumer, 'uses.ts'), imports.join(''));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      preserveSymlinks: true,
    };
    await writeFile(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['uses.ts'] }),
    );
    const { output } = await run(consumer, 'tsc', ['-p', '.']);
    // Mistakes in the types of other packages are not ours.
    expect(output.split('\n').filter((line) => /^(node_modules\/perdure|uses)/.test(line))).toEqual(
      [],
    );
  });

  test('has a manifest in which publint finds no mistake', async () => {
    const { directory } = (await theBuilt()).package;
    const { messages, pkg } = await publint({ pkgDir: directory, pack: false });
    const mistakes = messages.filter(({ type }) => type === 'error');
    expect(mistakes.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });
});
