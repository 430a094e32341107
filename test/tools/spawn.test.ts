import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callScope, type CallScope } from '../../src/tools/call-scope.ts';
import { spawnTool } from '../../src/tools/spawn.ts';
import { ToolError } from '../../src/tools/tool.ts';
import { isRunning } from '../support/is-running.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'perdure-spawn-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const never = { signal: new AbortController().signal };
const shell = (script: string) => ['-c', script] as const;

describe('a command', () => {
  test('gives its exit code and output', async () => {
    expect(await spawnTool(never, 'sh', shell('echo out; echo err >&2'))).toEqual({
      exitCode: 0,
      signal: undefined,
      stdout: 'out\n',
      stderr: 'err\n',
      dropped: 0,
    });
  });

  test('that fails is a result with its code and what it said', async () => {
    const result = await spawnTool(never, 'sh', shell('echo broken >&2; exit 3'));
    expect(result).toMatchObject({ exitCode: 3, stderr: 'broken\n' });
  });

  test('that a signal ends is a result with the signal', async () => {
    const result = await spawnTool(never, 'sh', shell('kill -KILL $$'));
    expect(result).toMatchObject({ exitCode: undefined, signal: 'SIGKILL' });
  });

  test('that does not exist is a ToolError without effect', async () => {
    const started = spawnTool(never, 'no-such-command');
    await expect(started).rejects.toThrow('"no-such-command" could not be started');
    await expect(started).rejects.toMatchObject({ effect: 'none' });
    await expect(started).rejects.toBeInstanceOf(ToolError);
  });

  test('takes arguments as they are, its directory, variables and input', async () => {
    const script = 'printf "%s|" "$1" "$PWD" "$COLOUR"; cat';
    const result = await spawnTool(never, 'sh', ['-c', script, 'sh', '$(id) "a b"'], {
      cwd: directory,
      env: { COLOUR: 'blue' },
      input: 'from the tool',
    });
    expect(result.stdout).toBe(`$(id) "a b"|${directory}|blue|from the tool`);
  });

  test('that does not read its input is no failure', async () => {
    const result = await spawnTool(never, 'true', [], { input: 'x'.repeat(1_000_000) });
    expect(result).toMatchObject({ exitCode: 0 });
  });

  test("can be kept from the worker's variables", async () => {
    process.env['PERDURE_TEST_KEY'] = 'secret';
    try {
      const script = shell('echo "$PERDURE_TEST_KEY"');
      expect((await spawnTool(never, 'sh', script)).stdout).toBe('secret\n');
      const env = { PATH: '/usr/bin:/bin' };
      const kept = await spawnTool(never, 'sh', script, { extendEnv: false, env });
      expect(kept.stdout).toBe('\n');
    } finally {
      delete process.env['PERDURE_TEST_KEY'];
    }
  });

  test('that says too much is not held up; the beginning and the end are kept', async () => {
    const script = shell('echo first; yes middle | head -c 5000000; echo; echo last');
    const result = await spawnTool(never, 'sh', script, { maxOutputBytes: 1_000 });
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/^first\nmiddle/);
    expect(result.stdout).toMatch(/\nlast\n$/);
    expect(result.dropped).toBe(5_000_000 + 'first\n\nlast\n'.length - 1_000);
    expect(result.stdout).toContain(`[… ${result.dropped} bytes are left out …]`);
    expect(result.stdout.length).toBeLessThan(1_100);
  });

  test('is in a group of its own, which the scope of the call is told of', async () => {
    const told: string[] = [];
    const scope: CallScope = {
      tool: 'shell',
      key: 'c/1.1.0.x',
      log: { error: () => undefined },
      addProcessGroup: (leader) => void told.push(`add ${leader}`),
      removeProcessGroup: (leader) => void told.push(`remove ${leader}`),
      atEnd: () => undefined,
    };
    const { stdout } = await callScope.run(scope, () =>
      spawnTool(never, 'sh', shell('echo $$; cut -d " " -f 5 /proc/$$/stat')),
    );
    const [pid, group] = stdout.trim().split('\n');
    expect(group).toBe(pid);
    expect(told).toEqual([`add ${pid}`, `remove ${pid}`]);
  });
});

/** A command that starts a child, a detached grandchild and a daemon of its own session, and waits. */
function familyScript(trap = ''): string {
  return [
    `cd "${directory}"`,
    trap,
    `sh -c '${trap} echo $$ > child; while :; do sleep 0.1; done' &`,
    `setsid sh -c '${trap} echo $$ > session; while :; do sleep 0.1; done' &`,
    `(setsid sh -c '(${trap} sh -c "echo \\$\\$ > daemon; exec sleep 1000" &)' &)`,
    'while ! [ -s child -a -s session -a -s daemon ]; do sleep 0.02; done; echo > ready',
    'while :; do sleep 0.1; done',
  ].join('\n');
}

async function family(): Promise<Record<'child' | 'session' | 'daemon', number>> {
  await expect.poll(() => existsSync(join(directory, 'ready')), { timeout: 10_000 }).toBe(true);
  const pidOf = async (name: string): Promise<number> =>
    Number(await readFile(join(directory, name), 'utf8'));
  return {
    child: await pidOf('child'),
    session: await pidOf('session'),
    daemon: await pidOf('daemon'),
  };
}

describe.runIf(process.platform === 'linux')('a tree of processes', () => {
  test.each([
    ['that clean up', ''],
    ['that ignore SIGTERM', 'trap "" TERM;'],
  ])(
    '%s is gone when the call was stopped',
    async (_, trap) => {
      const stop = new AbortController();
      const running = spawnTool({ signal: stop.signal }, 'sh', shell(familyScript(trap)), {
        graceMs: 300,
      });
      const members = await family();
      expect(Object.values(members).map(isRunning)).toEqual([true, true, true]);
      stop.abort(new Error('stopped'));
      await expect(running).rejects.toThrow('stopped');
      expect(Object.values(members).map(isRunning)).toEqual([false, false, false]);
    },
    20_000,
  );

  test('that the command leaves behind is gone when the command has ended', async () => {
    const script = `${familyScript().split('\n').slice(0, -1).join('\n')}\necho done`;
    const result = await spawnTool(never, 'sh', shell(script), { graceMs: 300 });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    const members = await family();
    expect(Object.values(members).map(isRunning)).toEqual([false, false, false]);
  }, 20_000);

  test('may be left running, and does not hold the result up', async () => {
    const script = `sleep 1000 & echo $! > "${directory}/child"; echo started`;
    const result = await spawnTool(never, 'sh', shell(script), { leaveRunning: true });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'started\n' });
    const pid = Number(await readFile(join(directory, 'child'), 'utf8'));
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  test('that was paused by a signal can clean up before it ends', async () => {
    const stop = new AbortController();
    const script = `cd "${directory}"; trap "echo > clean; exit" TERM; echo $$ > child; kill -STOP $$; sleep 9`;
    const running = spawnTool({ signal: stop.signal }, 'sh', shell(script), { graceMs: 5_000 });
    await expect.poll(() => existsSync(join(directory, 'child'))).toBe(true);
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    const pid = Number(await readFile(join(directory, 'child'), 'utf8'));
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(join(directory, 'clean'))).toBe(true);
  });

  test('of a call that was stopped before is never started', async () => {
    const stopped = { signal: AbortSignal.abort(new Error('stopped')) };
    const script = shell(`echo > "${directory}/child"`);
    await expect(spawnTool(stopped, 'sh', script)).rejects.toThrow('stopped');
    expect(existsSync(join(directory, 'child'))).toBe(false);
  });

  test('is gone when the process that started it exits', async () => {
    const script = fileURLToPath(new URL('spawn-and-exit.ts', import.meta.url));
    await new Promise((resolve) => {
      execFile(process.execPath, ['--import', 'tsx', script, familyScript()], resolve);
    });
    const members = await family();
    await expect.poll(() => Object.values(members).map(isRunning)).toEqual([false, false, false]);
  }, 30_000);
});
