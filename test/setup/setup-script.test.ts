import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url));

let clone = '';

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'perdure-setup-'));
  await mkdir(join(clone, 'scripts'));
  await cp(script, join(clone, 'scripts', 'setup.mjs'));
  await lockFile('package-lock.json', { 'node_modules/a': '1.0.0', 'node_modules/b': '2.0.0' });
});

afterEach(() => rm(clone, { recursive: true, force: true }));

async function lockFile(name: string, versions: { [path: string]: string }): Promise<void> {
  const packages = Object.fromEntries(
    Object.entries(versions).map(([path, version]) => [path, { version }]),
  );
  await mkdir(dirname(join(clone, name)), { recursive: true });
  await writeFile(join(clone, name), JSON.stringify({ packages: { '': {}, ...packages } }));
}

const installed = (versions: { [path: string]: string }) =>
  lockFile('node_modules/.package-lock.json', versions);

/** Runs the set-up with an npm that writes down how it was called and ends as told. */
async function setUp(exitCode = 0) {
  const npm = join(clone, 'npm-cli.js');
  await writeFile(
    npm,
    `require('fs').writeFileSync('npm-arguments', process.argv.slice(2).join(' ')); process.exit(${exitCode});`,
  );
  const args = [join(clone, 'scripts', 'setup.mjs'), '--dependencies-only'];
  const env = { ...process.env, npm_execpath: npm };
  const result = await promisify(execFile)(process.execPath, args, { cwd: tmpdir(), env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error) => ({ code: error.code, output: `${error.stdout}${error.stderr}` }),
  );
  const npmArguments = await readFile(join(clone, 'npm-arguments'), 'utf8').catch(() => undefined);
  return { ...result, npmArguments };
}

describe('the set-up script', { timeout: 60_000 }, () => {
  test('installs what the lock file says into a clone without node_modules', async () => {
    const { code, output, npmArguments } = await setUp();
    expect(code).toBe(0);
    expect(output).toContain('Installing 2 npm packages');
    expect(npmArguments).toMatch(/^ci .*--ignore-scripts/);
  });

  test('installs again when an installed version is not the one of the lock file', async () => {
    await installed({ 'node_modules/a': '1.0.0', 'node_modules/b': '1.9.0' });
    expect(await setUp()).toMatchObject({
      output: expect.stringContaining('Installing 1 npm packages'),
      npmArguments: expect.stringMatching(/^ci /),
    });
  });

  test('does nothing and says nothing when everything is there', async () => {
    await installed({ 'node_modules/a': '1.0.0', 'node_modules/b': '2.0.0' });
    expect(await setUp()).toEqual({ code: 0, output: '', npmArguments: undefined });
  });

  test('fails when npm fails', async () => {
    const { code, output } = await setUp(7);
    expect(code).toBe(1);
    expect(output).toContain('npm ci did not work');
  });
});
