import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { withWorker } from '../support/with-worker.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  execute: ({ a, b }) => a + b,
});

const approver = { id: 'approver' };

describe('a task', () => {
  test('shows its results to the model last, and ends with its answer and what it took', async () => {
    const requests: ModelRequest[] = [];
    const agent = defineAgent({
      name: 'adder',
      model: scripted((request, turn) => {
        requests.push(request);
        return turn === 0
          ? ['Adding.', toolCall('add', { a: 1, b: 2 }), toolCall('add', { a: 3, b: 4 })]
          : 'The sums are 3 and 7.';
      }),
      instructions: 'Add.',
      tools: [add],
    });
    await withWorker({ agents: [agent] }, async ({ client }) => {
      const conversation = await client.start('adder', { message: 'add 1 and 2, and 3 and 4' });
      const result = await conversation.result();
      expect(result).toMatchObject({
        status: 'completed',
        stopReason: 'answered',
        text: 'The sums are 3 and 7.',
        turns: 1,
        summary: { completions: 2, calls: { add: { ok: 2 } } },
      });
      expect(requests).toHaveLength(2);
      expect(requests[1]?.messages.at(-1)).toMatchObject({
        role: 'tool',
        results: [
          { isError: false, content: [{ type: 'text', text: '3' }] },
          { isError: false, content: [{ type: 'text', text: '7' }] },
        ],
      });
      const { entries } = await conversation.record();
      expect(entries.map(({ entry }) => entry.kind)).toEqual([
        'user',
        'assistant',
        'result',
        'result',
        'assistant',
      ]);
    });
  });

  test('sums what its completions used', async () => {
    const usage = { input: 10, cacheRead: 1, cacheWrite: 2, output: 5, reasoning: 3 };
    const agent = defineAgent({
      name: 'counter',
      model: scripted([
        { calls: [toolCall('add', { a: 1, b: 2 })], usage },
        { text: '3.', usage },
      ]),
      instructions: 'Add.',
      tools: [add],
    });
    await withWorker({ agents: [agent] }, async ({ client }) => {
      const conversation = await client.start('counter', { message: 'add 1 and 2' });
      const sum = { input: 20, cacheRead: 2, cacheWrite: 4, output: 10, reasoning: 6 };
      const result = await conversation.result();
      expect(result.usage).toEqual(sum);
      expect(result.summary.usagePerModel).toEqual({ scripted: sum });
    });
  });

  test('runs a call that needs approval once a person has approved it', async () => {
    const ran: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number() }),
      effect: 'once',
      needsApproval: true,
      execute: ({ amount }) => {
        ran.push(amount);
        return 'paid';
      },
    });
    const agent = defineAgent({
      name: 'payer',
      model: scripted([toolCall('pay', { amount: 5 }), 'Paid.']),
      instructions: 'Pay.',
      tools: [pay],
    });
    await withWorker({ agents: [agent] }, async ({ client }) => {
      const conversation = await client.start('payer', { message: 'pay 5' });
      await expect.poll(() => conversation.approvals(), { timeout: 10_000 }).toHaveLength(1);
      const [request] = await conversation.approvals();
      expect(request).toMatchObject({ kind: 'call', tool: 'pay', input: { amount: 5 } });
      expect(ran).toEqual([]);
      await conversation.approve(request?.key ?? '', { by: approver });
      expect(await conversation.result()).toMatchObject({ text: 'Paid.' });
      expect(ran).toEqual([5]);
    });
  });
});
