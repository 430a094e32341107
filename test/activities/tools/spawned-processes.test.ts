import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spawnTool } from '../../../src/tools/spawn.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { isRunning } from '../../support/is-running.ts';
import { buildTool, Harness, SHUTDOWN, STOPPED } from './harness.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'perdure-processes-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A shell that ignores SIGTERM and starts a detached grandchild that ignores it too. */
const command = (): string =>
  [
    `cd "${directory}"; trap "" TERM`,
    `(setsid sh -c 'trap "" TERM; echo $$ > grandchild; while :; do sleep 0.1; done' &)`,
    'while :; do sleep 0.1; done',
  ].join('\n');

const run = (ctx: Pick<ToolContext, 'signal'>) =>
  spawnTool(ctx, 'sh', ['-c', command()], { graceMs: 200 });

async function grandchild(): Promise<number> {
  const path = join(directory, 'grandchild');
  const read = (): number => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0);
  await expect.poll(read, { timeout: 10_000 }).toBeGreaterThan(0);
  return read();
}

describe.runIf(process.platform === 'linux')('a detached grandchild of a tool', () => {
  test.each([
    ['once', 'cancelled'],
    ['read', 'cancelled'],
  ] as const)('is gone when a %s call was stopped', async (effect, outcome) => {
    const harness = new Harness(buildTool((_, ctx) => run(ctx), { effect }));
    const activity = harness.activity();
    const output = harness.call({}, activity);
    const pid = await grandchild();
    expect(isRunning(pid)).toBe(true);
    activity.cancel('CANCELLED', STOPPED);
    expect(await output).toMatchObject({ outcome });
    expect(isRunning(pid)).toBe(false);
    expect(harness.ledger.filter((line) => line.includes('group'))).toEqual([
      expect.stringMatching(/^group \d+$/),
      expect.stringMatching(/^no group \d+$/),
    ]);
  });

  test('that takes no SIGTERM is gone before its call would be given up', async () => {
    const tool = buildTool((_, ctx) => spawnTool(ctx, 'sh', ['-c', command()]));
    const harness = new Harness(tool, { environment: { cancelGraceMs: 5_000 } });
    const activity = harness.activity();
    const output = harness.call({}, activity);
    const pid = await grandchild();
    activity.cancel('CANCELLED', STOPPED);
    expect((await output).content).not.toContain('it may still be running');
    expect(isRunning(pid)).toBe(false);
  }, 20_000);

  test('is gone when the call took too long', async () => {
    const harness = new Harness(buildTool((_, ctx) => run(ctx), { timeoutMs: 700 }));
    const output = harness.call();
    const pid = await grandchild();
    expect(await output).toMatchObject({ outcome: 'timeout', effect: 'unknown' });
    expect(isRunning(pid)).toBe(false);
  });

  test('is gone when the worker shut down', async () => {
    const harness = new Harness(buildTool((_, ctx) => run(ctx), { effect: 'idempotent' }));
    const activity = harness.activity();
    const output = harness.call({}, activity);
    const refused = expect(output).rejects.toMatchObject({ type: 'WorkerShutdown' });
    const pid = await grandchild();
    activity.cancel('WORKER_SHUTDOWN', SHUTDOWN);
    await refused;
    expect(isRunning(pid)).toBe(false);
  });

  test('is gone when its tool returned without waiting for the command', async () => {
    const harness = new Harness(
      buildTool(async (_, ctx) => {
        void run(ctx);
        return grandchild();
      }),
    );
    const output = await harness.call();
    expect(output.outcome).toBe('ok');
    expect(isRunning(Number(output.content))).toBe(false);
  });

  test('is ended as soon as work that its tool left behind starts it after the return', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const harness = new Harness(
      buildTool((_, ctx) => {
        late = sleep(300).then(() => run(ctx));
        return 'returned';
      }),
    );
    expect(await harness.call()).toMatchObject({ outcome: 'ok' });
    expect(await late).toMatchObject({ exitCode: undefined });
  }, 10_000);
});
