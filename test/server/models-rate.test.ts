import { randomUUID } from 'node:crypto';
import { Connection, WorkflowClient } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import { startModelServer } from '../../src/models/contract/model-server.ts';
import { agentsFile, runCli } from '../cli/run-cli.ts';
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
const setting = { ...config, taskQueue };
const one = serveAgents(setting);
serveAgents(setting);

let connection: Connection;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
});
afterAll(() => connection.close());

async function startAll(agent: string, count: number) {
  return Promise.all(
    Array.from({ length: count }, () => one.client.start(agent, { message: 'Well?' })),
  );
}

/** When the server gave each completion to a worker, in its own time. */
async function startedAt(id: string): Promise<number> {
  const { events } = await new WorkflowClient({ connection }).getHandle(id).fetchHistory();
  const scheduled = events?.find(
    ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name === 'perdure.model',
  );
  const started = events?.find(({ activityTaskStartedEventAttributes: it }) =>
    it?.scheduledEventId?.eq(scheduled?.eventId ?? -1),
  );
  return tsToMs(started?.eventTime);
}

describe('a model with a task queue of its own', () => {
  test('is asked no more often in a second than its limit says, over two workers', async () => {
    const conversations = await startAll('fast', CONVERSATIONS);
    await Promise.all(conversations.map((conversation) => conversation.result()));
    expect(server.requests).toHaveLength(CONVERSATIONS);
    const times = await Promise.all(conversations.map(({ id }) => startedAt(id)));
    const first = Math.min(...times);
    // A queue gives some at once, and then keeps to its rate.
    const withinTwoSeconds = times.filter((time) => time - first < 2_000);
    expect(withinTwoSeconds.length).toBeLessThanOrEqual(4 * PER_SECOND);
  });

  test('is asked no more often at once than each worker may', async () => {
    const conversations = await startAll('narrow', 3 * WORKERS * AT_ONCE);
    await expect.poll(() => inFlight, { timeout: 20_000 }).toBe(WORKERS * AT_ONCE);
    release();
    await Promise.all(conversations.map((conversation) => conversation.result()));
    expect(most).toBe(WORKERS * AT_ONCE);
  });

  test('is shown by doctor, with its limits, its workers and what is wrong', async () => {
    const where = ['--address', inject('temporalAddress'), '--task-queue', taskQueue];
    const args = ['doctor', agentsFile('limited.ts'), '--json', ...where];
    const { stdout } = await runCli(args, { env: environment });
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
