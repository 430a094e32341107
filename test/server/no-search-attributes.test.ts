import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { msToTs } from '@temporalio/common/lib/time.js';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { PerdureClient } from '../../src/client/index.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { PerdureWorker } from '../../src/worker/perdure-worker.ts';
import { startWorker } from '../../src/worker.ts';
import { failedTasks } from '../support/raw-sender.ts';
import { temporalClient } from '../support/temporal-client.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'once',
  needsApproval: true,
  execute: () => 'paid',
});

const payer = defineAgent({
  name: 'payer',
  model: scripted((_request, turn) => (turn < 12 ? toolCall('pay', { n: turn }) : 'Paid.')),
  instructions: 'Pay.',
  tools: [pay],
});

/** A namespace of its own, in which nobody registered our search attributes. */
const namespace = `bare-${randomUUID()}`;
const taskQueue = `bare-${randomUUID()}`;
let client: PerdureClient;
let worker: PerdureWorker;
let running: Promise<void>;
let dataDir: string;

beforeAll(async () => {
  const address = inject('temporalAddress');
  const { workflowService } = await temporalClient();
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  dataDir = await mkdtemp(join(tmpdir(), 'perdure-bare-'));
  client = await PerdureClient.connect({ address, namespace, taskQueue });
  // A new namespace takes a while until every part of the server knows it.
  await until(() => client.temporal.workflow.count(''));
  worker = await startWorker(
    { agents: [payer], taskQueue, dataDir, deployPatience: 0 },
    { address, namespace },
    {
      workflowBundle: { codePath: inject('workflowBundlePath') },
      handOver: { bytes: 3_000_000, events: 60 },
    },
  );
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await client.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function until(answers: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await answers();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(100);
    }
  }
}

test('a conversation on a server without our search attributes runs, waits, is approved and handed over', async () => {
  const conversation = await client.start('payer', {
    message: 'pay',
    tenant: 'shop',
    tags: ['a', 'b'],
  });
  for (let n = 0; n < 12; n++) {
    const next = async () => (await conversation.approvals())[0]?.input;
    await expect.poll(next, { timeout: 20_000 }).toEqual({ n });
    if (n === 3) {
      const waiting: string[] = [];
      for await (const { conversationId } of client.approvals.list()) waiting.push(conversationId);
      expect(waiting).toEqual([conversation.id]);
    }
    const [request] = await conversation.approvals();
    await conversation.approve(request?.key ?? '', { by: { id: 'a' } });
  }
  expect(await conversation.result()).toMatchObject({
    text: 'Paid.',
    summary: { calls: { pay: { ok: 12 } } },
  });
  const record = await conversation.record();
  expect(record.runs.length).toBeGreaterThan(1);
  expect(record.calls).toHaveLength(12);
  expect(await failedTasks(client.temporal, conversation.id)).toEqual([]);
});

test('only search by them is refused, in words', async () => {
  const searching = async () => {
    for await (const _ of client.list({ tenant: 'shop' }));
  };
  await expect(searching()).rejects.toThrow('does not have our search attributes');
});
