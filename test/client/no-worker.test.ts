import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type ConversationHandle, NoWorker, PerdureClient } from '../../src/client/index.ts';
import { desk, echo } from '../cli/agents/desk.ts';
import { temporalClient } from '../support/temporal-client.ts';
import { withWorker } from '../support/with-worker.ts';
import { SOON } from './soon.ts';

const by = { id: 'ana' };
let client: PerdureClient;
let taskQueue: string;
let dataDir: string;

beforeEach(async () => {
  taskQueue = `test-${randomUUID()}`;
  dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-client-'));
  client = await PerdureClient.connect({
    address: inject('temporalAddress'),
    taskQueue,
    patience: { acceptMs: 500 },
  });
});
afterEach(async () => {
  await client.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** What happens while a worker is up. */
function worker<T>(work: () => Promise<T>): Promise<T> {
  return withWorker({ agents: [desk, echo], taskQueue, dataDir }, work);
}

/** In place of a worker that knows nothing of updates, or lost this one. */
async function completeNextTaskWithNothing(): Promise<void> {
  const { connection, workflowService } = await temporalClient();
  const { taskToken, messages } = await connection.withDeadline(Date.now() + 30_000, () =>
    workflowService.pollWorkflowTaskQueue({
      namespace: 'default',
      identity: 'forgetful',
      taskQueue: { name: taskQueue },
    }),
  );
  expect(messages).toHaveLength(1);
  await workflowService.respondWorkflowTaskCompleted({ namespace: 'default', taskToken });
}

/** Of the one call about which a person is asked. */
async function keyOfRequest(task: ConversationHandle): Promise<string> {
  await expect.poll(async () => (await task.approvals()).length, SOON).toBe(1);
  const [request] = await task.approvals();
  return request?.key ?? '';
}

describe('with every worker down', () => {
  test('messages are kept, and each is taken once when one is back', async () => {
    const chat = await client.start('echo', { mode: 'chat' });
    const receipt = await chat.send('one', { id: 'first' });
    expect(receipt).toEqual({ via: 'signal', id: 'first' });
    expect(await chat.send('one', { id: 'first' })).toMatchObject({ via: 'signal' });
    await worker(async () => {
      await expect
        .poll(async () => (await chat.status()).lastTurn?.text, SOON)
        .toBe('you said: one');
      expect(await chat.send('one', { id: 'first' })).toMatchObject({ via: 'update', turn: 1 });
      expect((await chat.status()).turn).toBe(1);
      await chat.close();
      await chat.result();
    });
  });

  test('a verdict is kept, and applied once when one is back', async () => {
    const task = await client.start('desk', { message: 'A-1' });
    const key = await worker(() => keyOfRequest(task));
    const verdict = { by, verdictId: 'verdict-1', reason: 'fine' };
    expect(await task.approve({ key }, verdict)).toEqual({ via: 'signal', verdictId: 'verdict-1' });
    await worker(async () => {
      expect(await task.result()).toMatchObject({ text: 'refunded' });
    });
    const { calls } = await task.record();
    const refund = calls.find(({ planned }) => planned.tool === 'refund');
    // The update may have arrived as well, late: it is the same verdict.
    expect(refund?.decisions).toContainEqual(expect.objectContaining({ via: 'signal', by }));
    const ids = refund?.decisions.map(({ verdictId }) => verdictId);
    expect(new Set(ids)).toEqual(new Set(['verdict-1']));
    expect(refund?.attempts).toHaveLength(1);
    expect(refund?.result).toMatchObject({ outcome: 'ok' });
  });

  test('a verdict that a worker let fall is sent again', async () => {
    const patient = await PerdureClient.connect({
      address: client.address,
      taskQueue,
      patience: { acceptMs: 20_000 },
    });
    const task = await patient.start('desk', { message: 'A-3' });
    const key = await worker(() => keyOfRequest(task));
    const approved = task.approve({ key }, { by, verdictId: 'verdict-2' });
    await completeNextTaskWithNothing();
    await worker(async () => {
      expect(await approved).toMatchObject({ via: 'update', verdictId: 'verdict-2' });
      expect(await task.result()).toMatchObject({ text: 'refunded' });
    });
    await patient.close();
  });

  test('a verdict that workers go on letting fall is sent as a signal', async () => {
    const { address } = client;
    const patience = { acceptMs: 20_000, handOverMs: 0 };
    const impatient = await PerdureClient.connect({ address, taskQueue, patience });
    const task = await impatient.start('desk', { message: 'A-4' });
    const key = await worker(() => keyOfRequest(task));
    const approved = task.approve({ key }, { by, verdictId: 'verdict-3' });
    await completeNextTaskWithNothing();
    expect(await approved).toMatchObject({ via: 'signal', verdictId: 'verdict-3' });
    await worker(async () => {
      expect(await task.result()).toMatchObject({ text: 'refunded' });
    });
    await impatient.close();
  });

  test('questions that only a worker can answer say so', async () => {
    const { address } = client;
    const hasty = await PerdureClient.connect({ address, taskQueue, patience: { queryMs: 500 } });
    const chat = await hasty.start('echo', { mode: 'chat' });
    const asking = [chat.status(), chat.approvals(), chat.summary(), chat.spec()];
    for (const answer of await Promise.allSettled(asking)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(NoWorker) });
    }
    expect(await chat.describe()).toMatchObject({ life: 'running', agent: 'echo' });
    await chat.cancel();
    await hasty.close();
  });

  test('the transcript is read all the same, of an open and of an ended conversation', async () => {
    const open = await client.start('desk', { message: 'A-2' });
    const ended = await client.start('echo', { message: 'hello' });
    await worker(async () => {
      await ended.result();
      await expect.poll(async () => (await open.approvals()).length, SOON).toBe(1);
    });
    const kinds = async (handle: typeof open) =>
      (await handle.entries()).map(({ entry }) => entry.kind);
    expect(await kinds(ended)).toEqual(['user', 'assistant']);
    expect(await kinds(open)).toEqual(['user', 'assistant', 'result', 'assistant']);
    await open.cancel();
  });
});
