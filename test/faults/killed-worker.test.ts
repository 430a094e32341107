import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import type { RequestMessage } from '../../src/core/model-request.ts';
import {
  type CountingService,
  type SeenEffect,
  startCountingService,
} from '../support/counting-service.ts';
import { eventsOfRuns } from '../support/raw-sender.ts';
import { temporalClient } from '../support/temporal-client.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';
import { type FixtureOptions, ORDERS } from './killed-worker.fixture.ts';

const fixture = new URL('killed-worker.fixture.ts', import.meta.url);
const approver = { id: 'approver' };

let service: CountingService;
let client: PerdureClient;
let dataDirectory: string;
let taskQueue: string;
const workers: WorkerProcess[] = [];

beforeEach(async () => {
  service = await startCountingService();
  dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-faults-'));
  taskQueue = `faults-${randomUUID()}`;
  client = await PerdureClient.connect({ address: inject('temporalAddress'), taskQueue });
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
  await client.close();
  await service.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function worker(options: Omit<FixtureOptions, 'url'> = {}): Promise<WorkerProcess> {
  const started = await startWorkerProcess({
    fixture,
    taskQueue,
    dataDirectory,
    options: { url: service.url, ...options },
  });
  workers.push(started);
  return started;
}

/** Names of calls and results as the newest request shows them to the model. */
function conversationIn(effect: SeenEffect | undefined): string[] {
  const messages = (effect?.['messages'] ?? []) as RequestMessage[];
  return messages.flatMap((message) => {
    if (message.role === 'assistant') {
      return message.blocks.flatMap((block) =>
        block.type === 'tool_call' ? [`call ${block.name}`] : [],
      );
    }
    if (message.role === 'tool') {
      return message.results.map(({ tool, isError }) => `${isError ? 'error' : 'result'} ${tool}`);
    }
    return ['user'];
  });
}

const WHOLE_STORY =
  'user, call look_up, result look_up, call pay, result pay, call notify, result notify'.split(
    ', ',
  );

describe('a worker that is killed', () => {
  test('between a completion and its tool: the next worker runs the tool, not the completion', async () => {
    const first = await worker({ toolMs: 60_000 });
    const conversation = await client.start('clerk', { message: 'A-1, please' });
    await service.until('look_up began', 1);
    await first.kill();
    await worker();
    await approvePayment(conversation.id);
    expect(await client.handle(conversation.id).result()).toMatchObject({ text: 'Done.' });
    expect(service.of('completion')).toHaveLength(4);
    expect(service.of('look_up')).toHaveLength(1);
    expect(conversationIn(service.of('completion').at(-1))).toEqual(WHOLE_STORY);
  });

  test('inside a tool that acts once: it is not run again, and the model is told that nobody knows', async () => {
    const first = await worker({ toolMs: 400 });
    const conversation = await client.start('clerk', { message: 'A-1, please' });
    await approvePayment(conversation.id);
    await service.until('pay began', 1);
    await first.kill();
    await worker();
    await client.handle(conversation.id).result();
    expect(service.of('pay began')).toHaveLength(1);
    expect(conversationIn(service.of('completion').at(-1))).toEqual(
      WHOLE_STORY.map((line) => (line === 'result pay' ? 'error pay' : line)),
    );
    expect(JSON.stringify(service.of('completion').at(-1))).toContain('outcome_unknown');
  });

  test('when two of three calls have finished: only the third runs again, and results are in order', async () => {
    const first = await worker({ toolMs: 60_000, slowOrder: 'A-2' });
    const conversation = await client.start('trio', { message: 'All orders, please' });
    await service.until('look_up', 2);
    await expect
      .poll(
        async () => {
          const { calls } = await conversation.record();
          return calls.filter(({ result }) => result?.outcome === 'ok').length;
        },
        { timeout: 20_000 },
      )
      .toBe(2);
    await first.kill();
    await worker();
    await conversation.result();
    const begun = service.of('look_up began').map(({ order }) => order);
    expect(begun.map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'A-1',
      'A-2',
      'A-2',
      'A-3',
    ]);
    const { entries } = await conversation.record();
    expect(
      entries.flatMap(({ entry }) => (entry.kind === 'result' ? [entry.content] : [])),
    ).toEqual(ORDERS.map((order) => `look_up of ${order} done`));
  });

  test('right behind many finished steps: no workflow task waits for the dead worker', async () => {
    const first = await worker({ toolMs: 60_000, slowOrder: 'A-2' });
    const conversation = await client.start('runner', { message: 'All orders, please' });
    await service.until('look_up began', 21);
    await first.kill();
    await worker();
    await conversation.result();
    const events = await eventsOfRuns(await temporalClient(), conversation.id);
    expect(events.filter((event) => event.workflowTaskTimedOutEventAttributes)).toEqual([]);
  });

  test('inside a completion: the completion is made again, no finished step is', async () => {
    const first = await worker({ modelMs: 1_500 });
    const conversation = await client.start('clerk', { message: 'A-1, please' });
    await service.until('completion', 2);
    await first.kill();
    await worker();
    await approvePayment(conversation.id);
    await client.handle(conversation.id).result();
    expect(service.of('completion')).toHaveLength(5);
    expect(service.of('look_up')).toHaveLength(1);
    expect(service.of('pay')).toHaveLength(1);
    expect(service.of('notify')).toHaveLength(1);
  });

  test('while an approval waits: the verdict that is sent with no worker up is applied once', async () => {
    const first = await worker();
    const conversation = await client.start('clerk', { message: 'A-1, please' });
    await expect.poll(() => conversation.approvals(), { timeout: 20_000 }).toHaveLength(1);
    const [request] = await conversation.approvals();
    await first.kill();
    const receipt = await conversation.approve(request?.key ?? '', { by: approver });
    expect(receipt).toMatchObject({ via: 'signal' });
    await worker();
    expect(await conversation.result()).toMatchObject({ text: 'Done.' });
    expect(service.of('pay')).toHaveLength(1);
    expect(service.of('completion')).toHaveLength(4);
    expect(conversationIn(service.of('completion').at(-1))).toEqual(WHOLE_STORY);
  });
});

async function approvePayment(id: string): Promise<void> {
  const conversation = client.handle(id);
  await expect
    .poll(() => conversation.approvals().catch(() => []), { timeout: 20_000 })
    .toHaveLength(1);
  const [request] = await conversation.approvals();
  await conversation.approve(request?.key ?? '', { by: approver });
}
