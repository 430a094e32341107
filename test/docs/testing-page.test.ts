import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docBlocks } from '../support/doc-blocks.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const KILLS = 4;
let folder: string;

beforeAll(async () => {
  await mkdir(join(root, '.perdure'), { recursive: true });
  // Inside the project, where `perdure` is found as a user's project finds it.
  folder = await mkdtemp(join(root, '.perdure', 'testing-'));
  for (const { file, code } of await docBlocks(new URL('../../docs/testing.md', import.meta.url))) {
    // Fewer than a reader should: the kit has tests of its own.
    const short = code.replace('kills: 12,', `kills: ${KILLS},`);
    if (file !== undefined) await writeFile(join(folder, file), short);
  }
  const config = { extends: join(root, 'tsconfig.json'), include: [join(folder, '*.ts')] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('docs/testing.md', () => {
  test('its code compiles as it is written', async () => {
    await run('npx', ['tsc', '--noEmit', '-p', folder], { cwd: root });
  });

  test('its crash test kills workers, prints the table, and finds nothing wrong', async () => {
    const source = ['--conditions=perdure-source', '--import', 'tsx'];
    const program = join(folder, 'shop-crashes.ts');
    const { stdout } = await run(process.execPath, [...source, program], { cwd: root });
    expect(stdout).toContain(`| kills | ${KILLS} |`);
    expect(stdout).toContain('| `once` effects repeated | 0 |');
    expect(stdout).toMatch(/\| (before|in|after) .* \| [1-9]\d* \| [1-9]\d* \| 0 \|/);
  }, 240_000);
});
