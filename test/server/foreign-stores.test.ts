import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { scripted } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { messageOfBytes, rawSender } from '../support/raw-sender.ts';
import { withWorker } from '../support/with-worker.ts';

const SOON = { timeout: 40_000, interval: 50 };

const agents = [
  defineAgent({
    name: 'listener',
    model: scripted(({ messages }) => `heard ${JSON.stringify(messages.at(-1)).length > 100_000}`),
    instructions: 'Listen.',
  }),
];
const dataDir = await mkdtemp(join(tmpdir(), 'perdure-own-store-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('a worker with another blob store keeps nothing of a conversation: it waits for one that has its own', async () => {
  const own = { agents, taskQueue: `stores-${randomUUID()}`, dataDir };
  const { dataDir: _, ...foreign } = own;
  const id = await withWorker(own, async ({ client }) => {
    const conversation = await client.start('listener', { mode: 'chat', message: 'hello' });
    await expect.poll(async () => (await conversation.status()).lastTurn?.turn, SOON).toBe(1);
    return conversation.id;
  });
  await withWorker(foreign, async ({ client }) => {
    await rawSender(client.temporal).signal(id, 'message', messageOfBytes(300_000));
    await expect
      .poll(() => client.handle(id).status(), SOON)
      .toMatchObject({
        status: 'waiting_worker',
        waitingFor: expect.stringContaining('began with the blob store'),
      });
  });
  await withWorker(own, async ({ client }) => {
    const conversation = client.handle(id);
    await expect
      .poll(async () => (await conversation.status()).lastTurn, SOON)
      .toMatchObject({ turn: 2, text: 'heard true' });
    await conversation.close();
    expect(await conversation.result()).toMatchObject({ stopReason: 'closed' });
  });
});
