import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { withWorker } from '../support/with-worker.ts';

interface Run {
  readonly tool: string;
  readonly key: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly finish: () => void;
}
const runs: Run[] = [];

/** Runs until the test lets it finish, or until it is told to stop. */
function waitingTool(name: string, effect: 'once' | 'idempotent') {
  return defineTool({
    name,
    description: 'Runs until it may finish.',
    inputSchema: z.object({}),
    effect,
    parallelSafe: true,
    execute: (_, ctx) =>
      new Promise<string>((resolve, reject) => {
        const { idempotencyKey: key, attempt, signal } = ctx;
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        runs.push({ tool: name, key, attempt, signal, finish: () => resolve(`${name} done`) });
      }),
  });
}

const agent = defineAgent({
  name: 'shopper',
  model: scripted([[toolCall('pay', {}), toolCall('mail', {})], 'Both are done.']),
  instructions: 'Shop.',
  tools: [waitingTool('pay', 'once'), waitingTool('mail', 'idempotent')],
});

let dataDir = '';
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'perdure-shutdown-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const PATIENTLY = { timeout: 30_000 };

const runsOf = (tool: string): Run[] => runs.filter((run) => run.tool === tool);

describe("a worker's shutdown", () => {
  test('waits for a once call, and gives an idempotent one to the next worker with the same key', async () => {
    const config = { agents: [agent], taskQueue: `test-${randomUUID()}`, dataDir };
    let conversationId = '';
    const first = withWorker(config, async ({ client }) => {
      const conversation = await client.start('shopper', { message: 'buy' });
      conversationId = conversation.id;
      await expect
        .poll(() => runs.map(({ tool }) => tool).toSorted(), PATIENTLY)
        .toEqual(['mail', 'pay']);
    });
    await expect.poll(() => runsOf('mail')[0]?.signal.aborted, PATIENTLY).toBe(true);
    const [payment] = runsOf('pay');
    expect(payment?.signal.aborted).toBe(false);
    payment?.finish();
    await first;

    await withWorker(config, async ({ client }) => {
      await expect.poll(() => runsOf('mail'), PATIENTLY).toHaveLength(2);
      const [lost, again] = runsOf('mail');
      expect(again).toMatchObject({ key: lost?.key, attempt: 2 });
      again?.finish();
      expect(await client.handle(conversationId).result()).toMatchObject({
        text: 'Both are done.',
        summary: { calls: { pay: { ok: 1 }, mail: { ok: 1 } } },
      });
    });
    expect(runsOf('pay')).toHaveLength(1);
  });
});
