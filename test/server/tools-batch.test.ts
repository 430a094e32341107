import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest, ToolResultPart } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolError } from '../../src/tools/tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

let running = 0;
let most = 0;
const order: number[] = [];

/** Ends after a while of its own; `fail` says how it ends instead. */
const step = defineTool({
  name: 'step',
  description: 'Does one step.',
  inputSchema: z.object({ n: z.number(), ms: z.number(), fail: z.string().optional() }),
  effect: 'read',
  timeout: '1 s',
  execute: async ({ n, ms, fail }, { signal }) => {
    running += 1;
    most = Math.max(most, running);
    try {
      await pause(ms, undefined, { signal });
      order.push(n);
      if (fail === 'error') throw new ToolError(`step ${n} is not possible`);
      return `step ${n}`;
    } finally {
      running -= 1;
    }
  },
});

const serial = defineTool({
  name: 'serial',
  description: 'Does one step that must be alone.',
  inputSchema: z.object({ n: z.number(), ms: z.number() }),
  effect: 'once',
  execute: async ({ n, ms }) => {
    running += 1;
    most = Math.max(most, running);
    await pause(ms);
    running -= 1;
    order.push(n);
    return `serial ${n}`;
  },
});

const last = new Map<string, ModelRequest>();
type Call = ReturnType<typeof toolCall>;
const batches: Record<string, () => readonly Call[]> = {
  thirty: () => Array.from({ length: 30 }, (_, n) => toolCall('step', { n, ms: (n * 7919) % 311 })),
  nine: () => Array.from({ length: 9 }, (_, n) => toolCall('step', { n, ms: 300 })),
  mixed: () => [
    toolCall('step', { n: 0, ms: 200 }),
    toolCall('serial', { n: 1, ms: 50 }),
    toolCall('step', { n: 2, ms: 10 }),
  ],
  failing: () => [
    toolCall('step', { n: 0, ms: 10 }),
    toolCall('step', { n: 1, ms: 10, fail: 'error' }),
    toolCall('step', { n: 2, ms: 20_000 }),
    toolCall('no_such_tool', {}),
    toolCall('step', { n: 4, ms: 100 }),
  ],
  doubled: () => [
    { ...toolCall('step', { n: 0, ms: 30 }), id: 'same' },
    { ...toolCall('step', { n: 1, ms: 10 }), id: 'same' },
  ],
};

const agent = defineAgent({
  name: 'batcher',
  model: scripted((request) => {
    last.set(request.conversationId, request);
    const [first] = request.messages;
    const part = first?.role === 'user' ? first.content[0] : undefined;
    const name = part?.type === 'text' ? part.text : '';
    return request.messages.length === 1 ? (batches[name]?.() ?? []) : 'done';
  }),
  instructions: 'Step.',
  tools: [step, serial],
});

const served = serveAgents({ agents: [agent] });

async function run(batch: string) {
  running = 0;
  most = 0;
  order.length = 0;
  const conversation = await served.client.start('batcher', { message: batch });
  expect(await conversation.result()).toMatchObject({ text: 'done' });
  const results = (last.get(conversation.id)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.results : [],
  );
  return { conversation, results };
}

const resultsOf = async (batch: string) => (await run(batch)).results;

const texts = (results: readonly ToolResultPart[]): string[] =>
  results.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''));

describe('a batch of calls', () => {
  test('of thirty tools that finish in any order has its results in call order', async () => {
    const { conversation, results } = await run('thirty');
    expect(order).not.toEqual(order.toSorted((a, b) => a - b));
    const inOrder = Array.from({ length: 30 }, (_, n) => `step ${n}`);
    expect(texts(results)).toEqual(inOrder);
    const { calls } = await conversation.record();
    expect(calls.map(({ result }) => result?.content)).toEqual(inOrder);
  });

  test('of nine never runs more than eight at once, as the tools themselves see it', async () => {
    expect(await resultsOf('nine')).toHaveLength(9);
    expect(most).toBe(8);
  });

  test('with one that must be alone runs one after another, in call order', async () => {
    expect(texts(await resultsOf('mixed'))).toEqual(['step 0', 'serial 1', 'step 2']);
    expect({ most, order }).toEqual({ most: 1, order: [0, 1, 2] });
  });

  test('goes on for the others when one fails, takes too long or is unknown', async () => {
    const results = await resultsOf('failing');
    expect(texts(results)).toEqual([
      'step 0',
      expect.stringMatching(/^\[tool_error\][^]*step 1 is not possible/),
      expect.stringMatching(/^\[timeout\]/),
      expect.stringMatching(/^\[unknown_tool\]/),
      'step 4',
    ]);
    expect(results.map(({ isError }) => isError)).toEqual([false, true, true, true, false]);
  });

  test('of two calls with one id runs both', async () => {
    expect(texts(await resultsOf('doubled'))).toEqual(['step 0', 'step 1']);
  });
});
