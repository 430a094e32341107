import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docBlocks } from '../support/doc-blocks.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = ['--conditions=perdure-source', '--import', 'tsx'];

/** Inside the project, so that `perdure` is found as a user's project finds it. */
let folder: string;

beforeAll(async () => {
  await mkdir(join(root, '.perdure'), { recursive: true });
  folder = await mkdtemp(join(root, '.perdure', 'models-page-'));
  for (const { file, code } of await docBlocks(new URL('../../docs/models.md', import.meta.url))) {
    if (file !== undefined) await writeFile(join(folder, file), code);
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the page about models', () => {
  test('its TypeScript compiles as it is written', async () => {
    const config = { extends: join(root, 'tsconfig.json'), include: [join(folder, '*.ts')] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await run('npx', ['tsc', '--noEmit', '-p', folder], { cwd: root });
  }, 120_000);

  test('its models can be made without a key and without the optional packages’ services', async () => {
    const files = ['claude.ts', 'compatible.ts', 'text-only.ts', 'tests.ts', 'limits.config.ts'];
    const script = files.map((file) => `await import(${JSON.stringify(join(folder, file))});`);
    await run(process.execPath, [...SOURCE, '--input-type=module', '-e', script.join('\n')], {
      cwd: root,
      env: { ...process.env, ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' },
    });
  }, 120_000);

  test('its adapter passes the contract with Node’s own test runner', async () => {
    const { stdout } = await run(
      process.execPath,
      [...SOURCE, '--test', '--test-reporter=tap', join(folder, 'acme.test.ts')],
      { cwd: root, env: { ...process.env, NODE_OPTIONS: '' } },
    );
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(50);
  }, 120_000);
});
