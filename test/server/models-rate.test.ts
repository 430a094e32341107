import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, WorkflowClient } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import { startModelServer } from '../../src/models/contract/model-server.ts';
import { WIRE_USAGE } from '../../src/models/contract/wire.ts';
import { agentsFile } from '../cli/run-cli.ts';
import { runHere } from '../cli/run-here.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { startWorker } from '../../src/worker.ts';
import type { PerdureConfig } from '../../src/define-config.ts';

const CONVERSATIONS = 30;
const PER_SECOND = 5;
const WORKERS = 2;
const AT_ONCE = 2;

let inFlight = 0;
let most = 0;
let release: () => void = () => {};
const released = new Promise<void>((resolve) => {
  release = resolve;
});
const server = await startModelServer(async ({ text }) => {
  if (!text.includes('claude-narrow')) return wire.answer({ text: 'Yes.' });
  inFlight += 1;
  most = Math.max(most, inFlight);
  await released;
  inFlight -= 1;
  return wire.answer({ text: 'Yes.' });
});
afterAll(() => server.close());

const environment = {
  TEST_MODEL_URL: server.url,
  TEST_FAST_QUEUE: `fast-${randomUUID()}`,
  TEST_NARROW_QUEUE: `narrow-${randomUUID()}`,
};
Object.assign(process.env, environment);
const { default: config } = (await import('../cli/agents/limited.ts')) as {
  default: PerdureConfig;
};
const taskQueue = `test-${randomUUID()}`;
const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-rate-'));
const setting = { ...config, taskQueue, dataDir };
const one = serveAgents(setting);
serveAgents(setting);

let connection: Connection;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
});
afterAll(async () => {
  await connection.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function startAll(agent: string, count: number) {
  return Promise.all(
    Array.from({ length: count }, () => one.client.start(agent, { message: 'Well?' })),
  );
}

/** From which queue a completion was taken, and when the server gave it to a worker, in its own time. */
async function completionOf(id: string) {
  const { events } = await new WorkflowClient({ connection }).getHandle(id).fetchHistory();
  const scheduled = events?.find(
    ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name === 'perdure.model',
  );
  const started = events?.find(({ activityTaskStartedEventAttributes: it }) =>
    it?.scheduledEventId?.eq(scheduled?.eventId ?? -1),
  );
  const { taskQueue: queue } = scheduled?.activityTaskScheduledEventAttributes ?? {};
  const failed = (events ?? []).flatMap((event) => {
    const { activityTaskFailedEventAttributes, activityTaskTimedOutEventAttributes } = event;
    const failure = (activityTaskFailedEventAttributes ?? activityTaskTimedOutEventAttributes)
      ?.failure;
    return failure ? [failure.message] : [];
  });
  return { queue: queue?.name, startedAt: tsToMs(started?.eventTime), failed };
}

async function hasOpenCompletion(id: string): Promise<boolean> {
  const { raw } = await new WorkflowClient({ connection }).getHandle(id).describe();
  return (raw.pendingActivities ?? []).some(
    ({ activityType }) => activityType?.name === 'perdure.model',
  );
}

describe('a model with a task queue of its own', () => {
  test('is asked no more often in a second than its limit says, over two workers', async () => {
    const conversations = await startAll('fast', CONVERSATIONS);
    const results = await Promise.all(conversations.map((conversation) => conversation.result()));
    expect(server.requests).toHaveLength(CONVERSATIONS);
    for (const { usage } of results) expect(usage).toMatchObject(WIRE_USAGE);
    const completions = await Promise.all(conversations.map(({ id }) => completionOf(id)));
    const failures = completions.flatMap(({ failed }) => failed);
    expect(failures, 'a wait for the limit is no failure').toEqual([]);
    const times = completions.map(({ startedAt }) => startedAt);
    const first = Math.min(...times);
    // A queue gives some at once, and then keeps to its rate.
    const withinTwoSeconds = times.filter((time) => time - first < 2_000);
    expect(withinTwoSeconds.length).toBeLessThanOrEqual(4 * PER_SECOND);
  });

  test('is asked no more often at once than each worker may', async () => {
    const conversations = await startAll('narrow', 3 * WORKERS * AT_ONCE);
    const waiting = () => Promise.all(conversations.map(({ id }) => hasOpenCompletion(id)));
    await expect.poll(waiting, { timeout: 40_000 }).toEqual(conversations.map(() => true));
    await expect.poll(() => inFlight, { timeout: 20_000 }).toBe(WORKERS * AT_ONCE);
    release();
    await Promise.all(conversations.map((conversation) => conversation.result()));
    expect(most).toBe(WORKERS * AT_ONCE);
  });

  test('is the only one that has it: another is asked from the queue of its conversation', async () => {
    const [conversation] = await startAll('free', 1);
    await conversation?.result();
    expect(await completionOf(conversation?.id ?? '')).toMatchObject({ queue: taskQueue });
    const [limited] = await startAll('fast', 1);
    await limited?.result();
    const { TEST_FAST_QUEUE: queue } = environment;
    expect(await completionOf(limited?.id ?? '')).toMatchObject({ queue });
  });

  test('is shown by doctor, with its limits, its workers and what is wrong', async () => {
    const where = ['--address', inject('temporalAddress'), '--task-queue', taskQueue];
    const args = ['doctor', agentsFile('limited.ts'), '--json', ...where];
    const { stdout } = await runHere(args);
    const findings: readonly { check: string }[] = JSON.parse(stdout);
    const shown = (verdict: string, detail: RegExp) =>
      expect.objectContaining({ verdict, detail: expect.stringMatching(detail) });
    expect(findings.filter(({ check }) => check === 'model queues')).toEqual([
      shown(
        'ok',
        /claude-fast on "fast-.*", at most 5 a second over all workers; 1 worker, 0 wait/,
      ),
      shown('ok', /claude-narrow on "narrow-.*", at most 2 at once in each worker; 1 worker/),
      shown('warning', /no agent has the model claude-gone/),
    ]);
  });

  test('does not share the queue of the worker', async () => {
    const models = { 'claude-fast': { taskQueue, maxPerSecond: 1 } };
    await expect(
      startWorker(
        { ...setting, models, deployPatience: 0 },
        { address: inject('temporalAddress') },
      ),
    ).rejects.toThrow(`"${taskQueue}" is the worker's own queue`);
  });
});
