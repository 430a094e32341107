import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleProblem } from './bundle-problem.ts';
import { reportsOf } from './lint-reports.ts';
import { run, scratchProject } from './scratch-project.ts';

/** What each rule must find, wherever in src it is. */
const VIOLATIONS = {
  'typescript(no-floating-promises)': 'async function f(): Promise<void> {}\nf();\nexport {};\n',
  'typescript(no-explicit-any)': 'export const value: any = 1;\n',
  'typescript(no-non-null-assertion)': 'export const first = (list: string[]) => list[0]!;\n',
  'typescript(ban-ts-comment)': '// @ts-ignore\nexport const value: number = 1;\n',
  'typescript(consistent-type-imports)':
    "import { Thing } from './thing.ts';\nexport const use = (thing: Thing) => thing;\n",
  'typescript(switch-exhaustiveness-check)':
    "export function f(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}\n",
  'unicorn(prefer-node-protocol)': "import 'fs';\n",
  'import(no-default-export)': 'export default 1;\n',
  'node(no-process-env)': 'export const home = process.env.HOME;\n',
  'eslint(max-lines)': 'export {};\n'.repeat(251),
} as const;

describe('the linter', { timeout: 60_000 }, () => {
  test('reports what each rule is there for', async () => {
    const project = await scratchProject();
    await project.write('src/blobs/thing.ts', 'export interface Thing {\n  readonly a: 1;\n}\n');
    const expected = Object.entries(VIOLATIONS).map(([rule, planted], n) => ({
      rule,
      planted,
      file: `src/blobs/planted-${n}.ts`,
    }));
    for (const { file, planted } of expected) await project.write(file, planted);
    const reports = await reportsOf(project);
    expect(reports.map(({ file, rule }) => `${file} ${rule}`).toSorted()).toEqual(
      expected.map(({ file, rule }) => `${file} ${rule}`).toSorted(),
    );
  });

  test('reports a cycle of imports', async () => {
    const project = await scratchProject();
    await project.write('src/core/a.ts', "import { b } from './b.ts';\nexport const a = b;\n");
    await project.write('src/core/b.ts', "import { a } from './a.ts';\nexport const b = a;\n");
    const rules = (await reportsOf(project)).map(({ rule }) => rule);
    expect(rules).toEqual(['import(no-cycle)', 'import(no-cycle)']);
  });

  test('reads the environment in src/config.ts alone', async () => {
    const project = await scratchProject();
    await project.write('src/config.ts', 'export const home = process.env.HOME;\n');
    expect(await reportsOf(project)).toEqual([]);
  });
});

describe('the compiler settings of the sandbox', { timeout: 60_000 }, () => {
  const check = (directory: string) => run(directory, 'tsc', ['--noEmit', '-p', 'src/workflows']);

  test.each([
    ['src/workflows', 'export const id = process.pid;', "'process'"],
    ['src/workflows', 'export const bytes = Buffer.from([]);', "'Buffer'"],
    ['src/workflows', "export const page = fetch('x');", "'fetch'"],
    ['src/workflows', "console.log('x');", "'console'"],
    ['src/workflows', "import { readFileSync } from 'node:fs';\nreadFileSync('x');", "'node:fs'"],
    ['src/core', 'export const later = setTimeout(() => {}, 1);', "'setTimeout'"],
    ['src/core', "import { createHash } from 'node:crypto';\ncreateHash('x');", "'node:crypto'"],
  ])('refuse in %s: %s', async (folder, planted, name) => {
    const project = await scratchProject();
    await project.write('src/core/fine.ts', "export const fine = 'fine';\n");
    await project.write(`${folder}/planted.ts`, `export {};\n${planted}\n`);
    const { code, output } = await check(project.directory);
    expect(code).not.toBe(0);
    expect(output).toContain(`${folder}/planted.ts`);
    expect(output).toContain(name);
  });

  test('accept code that needs neither', async () => {
    const project = await scratchProject();
    await project.write('src/core/fine.ts', "export const fine = 'fine';\n");
    await project.write('src/workflows/uses.ts', "export { fine } from '../core/fine.ts';\n");
    expect(await check(project.directory)).toEqual({ code: 0, output: '' });
  });
});

describe("Temporal's bundler", { timeout: 120_000 }, () => {
  test.each([
    ['src/core/names.ts', 'node:fs'],
    ['src/workflows/messages.ts', 'http'],
  ])('refuses our workflows when %s imports %s', async (file, name) => {
    const project = await scratchProject();
    await project.take('src/workflows');
    await project.take('src/core');
    await project.append(file, `\nimport * as planted from '${name}';\nexport { planted };\n`);
    const problem = await bundleProblem(join(project.directory, 'src/workflows/index.ts'));
    expect(problem).toContain(name);
  });
});
