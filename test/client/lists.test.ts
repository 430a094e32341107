import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, inject, test } from 'vitest';
import { PerdureClient, type PendingApprovalInfo } from '../../src/client/index.ts';
import { startWorker } from '../../src/worker.ts';
import { broken, desk, echo } from '../cli/agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from './soon.ts';

const served = serveAgents({ agents: [broken, desk, echo] });
const PENDING = 30;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('lists', () => {
  test('conversations by agent, life, status, tenant and tag', async () => {
    const { client } = served;
    const tenant = `tenant-${randomUUID()}`;
    const ended = await client.start('echo', { message: 'one', tenant, tags: ['blue'] });
    await ended.result();
    const open = await client.start('echo', { mode: 'chat', tenant, tags: ['blue', 'red'] });
    const failed = await client.start('broken', { message: 'x' });
    await failed.result().catch(() => {});
    const ids = async (filter: Parameters<PerdureClient['list']>[0]) =>
      (await all(client.list(filter))).map(({ id }) => id);

    await expect.poll(() => ids({ tenant }), SOON).toEqual([open.id, ended.id]);
    expect(await ids({ tenant, life: 'running' })).toEqual([open.id]);
    expect(await ids({ tenant, life: ['completed', 'failed'] })).toEqual([ended.id]);
    expect(await ids({ tenant, tag: 'red' })).toEqual([open.id]);
    expect(await ids({ tenant, agent: 'desk' })).toEqual([]);
    expect(await ids({ tenant: "o'brien\\" })).toEqual([]);
    expect(await ids({ stuck: true })).toEqual([]);
    await expect.poll(() => ids({ agent: 'broken', life: 'failed' }), SOON).toEqual([failed.id]);
    await expect.poll(() => ids({ tenant, status: 'waiting_input' }), SOON).toEqual([open.id]);
    const [info] = await all(client.list({ tenant, life: 'running' }));
    expect(info).toMatchObject({
      agent: 'echo',
      life: 'running',
      status: 'waiting_input',
      tenant,
      tags: ['blue', 'red'],
      startedAt: expect.any(Date),
    });
    await open.close();
  });

  test('all approvals that wait, by agent, tool, asked-of and age', async () => {
    const { client } = served;
    const numbers = Array.from({ length: PENDING }, (_, n) => n);
    await Promise.all(numbers.map((n) => client.start('desk', { message: `A-${n}` })));
    const find = (filter = {}) => all<PendingApprovalInfo>(client.approvals.list(filter));
    await expect.poll(async () => (await find()).length, SOON).toBe(PENDING);
    const found = await find({ agent: 'desk', tool: 'refund' });
    expect(new Set(found.map(({ request }) => request.summary)).size).toBe(PENDING);
    expect(found[0]).toMatchObject({
      agent: 'desk',
      conversationId: expect.stringMatching(/^desk-/),
      request: { kind: 'call', tool: 'refund', danger: true, digest: expect.any(String) },
    });
    expect(await find({ tool: 'look' })).toEqual([]);
    expect(await find({ agent: 'echo' })).toEqual([]);
    expect(await find({ askedOf: 'somebody' })).toEqual([]);
    expect(await find({ olderThan: '1 hour' })).toEqual([]);
    expect(await find({ olderThan: 1 })).toHaveLength(PENDING);
    await expect(find({ olderThan: 'long' as never })).rejects.toThrow(/olderThan: expected/);
    await Promise.all(found.map(({ conversationId }) => client.handle(conversationId).cancel()));
  });
});

test('a namespace without our search attributes lists by asking the conversations', async () => {
  const address = inject('temporalAddress');
  const namespace = `bare-${randomUUID()}`;
  const taskQueue = `test-${randomUUID()}`;
  const { workflowService } = served.client.temporal;
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-bare-'));
  const client = await PerdureClient.connect({ address, namespace, taskQueue });
  await expect.poll(() => client.handle('x').describe().catch(String), SOON).toMatch(/no conv/);
  const worker = await startWorker(
    { agents: [desk, echo], taskQueue, dataDir, deployPatience: 0 },
    { address, namespace },
    { workflowBundle: { codePath: inject('workflowBundlePath') } },
  );
  const running = worker.run();
  try {
    const task = await client.start('desk', { message: 'A-1' });
    const chat = await client.start('echo', { mode: 'chat' });
    await expect.poll(async () => (await all(client.approvals.list())).length, SOON).toBe(1);
    const waiting = () => all(client.list({ status: 'waiting_input' }));
    await expect.poll(waiting, SOON).toMatchObject([{ id: chat.id, status: 'waiting_input' }]);
    expect(await all(client.list({ agent: 'desk' }))).toMatchObject([{ id: task.id }]);
    await expect(all(client.list({ tenant: 'x' }))).rejects.toThrow(/perdure doctor --fix/);
  } finally {
    worker.shutdown();
    await running;
    await client.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
