import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/count-tests.mjs', import.meta.url));

/** What the script prints, and its exit code, for test files with these states. */
async function count(files: readonly (readonly string[])[], brokenFiles = 0) {
  const directory = await mkdtemp(join(tmpdir(), 'perdure-count-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const report = join(directory, 'report.json');
  const testResults = [
    ...files.map((states) => ({
      status: states.includes('failed') ? 'failed' : 'passed',
      assertionResults: states.map((status) => ({ status })),
    })),
    ...Array.from({ length: brokenFiles }, () => ({ status: 'failed', assertionResults: [] })),
  ];
  await writeFile(report, JSON.stringify({ testResults }));
  return promisify(execFile)(process.execPath, [script, report]).then(
    ({ stdout }) => [stdout, 0],
    (error) => [error.stdout, error.code],
  );
}

describe('the closing line of the check', () => {
  test('counts tests, not files', async () => {
    expect(await count([['passed', 'passed'], ['passed']])).toEqual(['3 passed, 0 failed\n', 0]);
  });

  test('fails when one failed, and tells how many were skipped', async () => {
    expect(await count([['passed', 'failed', 'skipped', 'pending']])).toEqual([
      '1 passed, 1 failed, 2 skipped\n',
      1,
    ]);
  });

  test('counts a file that could not be loaded as failed', async () => {
    expect(await count([['passed']], 2)).toEqual(['1 passed, 2 failed\n', 1]);
  });

  test('fails when none ran', async () => {
    expect(await count([])).toEqual(['0 passed, 0 failed\n', 1]);
  });
});
