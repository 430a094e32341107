import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { isBlobReference } from '../../src/core/stored.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { toolOutput } from '../../src/tools/tool.ts';
import { eventsOfRuns, failedTasks } from '../support/raw-sender.ts';
import { serveAgents } from '../support/serve-agents.ts';

const MB = 1_000_000;
/** Nothing of ours comes near the server's limit of 2 MiB per payload. */
const MAX_EVENT_BYTES = 1_500_000;

const received: number[] = [];
const requests: ModelRequest[] = [];

const take = defineTool({
  name: 'take',
  description: 'Takes a text.',
  inputSchema: z.object({ text: z.string() }),
  effect: 'once',
  execute: ({ text }) => {
    received.push(text.length);
    return `took ${text.length}`;
  },
});

const askedTake = defineTool({
  name: 'asked_take',
  description: 'Takes a text, when it may.',
  inputSchema: z.object({ text: z.string() }),
  effect: 'once',
  needsApproval: true,
  execute: ({ text }) => `took ${text.length}`,
});

const make = defineTool({
  name: 'make',
  description: 'Makes much.',
  inputSchema: z.object({ what: z.enum(['text', 'json', 'state', 'error', 'parts']) }),
  effect: 'read',
  execute: ({ what }) => {
    switch (what) {
      case 'text':
        return 'x'.repeat(20 * MB);
      case 'json':
        return { list: Array.from({ length: 200_000 }, (_, n) => ({ n, text: 'row of a table' })) };
      case 'state':
        return toolOutput('done', {
          stateUpdate: [{ op: 'add', path: '', value: 'x'.repeat(3 * MB) }],
        });
      case 'error':
        throw new Error('e'.repeat(3 * MB));
      case 'parts':
        return toolOutput('done', {
          content: [
            {
              type: 'image',
              mediaType: 'image/png',
              data: Buffer.alloc(3 * MB, 7).toString('base64'),
            },
          ],
        });
    }
  },
});

const small = defineTool({
  name: 'small',
  description: 'Does little.',
  inputSchema: z.object({ text: z.string() }),
  effect: 'read',
  execute: ({ text }) => text.slice(0, 10),
});

const agents = [
  defineAgent({
    name: 'arguments',
    model: scripted([toolCall('take', { text: 'x'.repeat(3 * MB) }), 'Done.']),
    instructions: 'Take.',
    tools: [take],
  }),
  defineAgent({
    name: 'asked-arguments',
    model: scripted([toolCall('asked_take', { text: 'x'.repeat(3 * MB) }), 'Done.']),
    instructions: 'Take.',
    tools: [askedTake],
  }),
  defineAgent({
    name: 'results',
    model: scripted((request, turn) => {
      requests.push(request);
      const whats = ['text', 'json', 'state', 'error', 'parts'] as const;
      const what = whats[turn];
      return what === undefined ? 'Done.' : toolCall('make', { what });
    }),
    instructions: 'Make.',
    tools: [make],
  }),
  defineAgent({
    name: 'talker',
    model: scripted(['y'.repeat(300_000)]),
    instructions: 'Talk.',
  }),
  defineAgent({
    name: 'structured',
    model: scripted([JSON.stringify({ rows: Array.from({ length: 200_000 }, (_, n) => n) })]),
    instructions: 'Answer.',
    output: z.object({ rows: z.array(z.number()) }),
  }),
  defineAgent({
    name: 'many-calls',
    // Each just below what history holds inline.
    model: scripted([
      Array.from({ length: 140 }, (_, n) =>
        toolCall('small', { text: `${n} ${'木'.repeat(10_000)}` }),
      ),
      'Done.',
    ]),
    instructions: 'Call.',
    tools: [small],
    limits: { maxOutputTokens: 1_000_000 },
  }),
  defineAgent({
    name: 'nameless',
    model: scripted((_request, turn) =>
      turn < 3
        ? Array.from({ length: 100 }, (_, n) =>
            toolCall(`tool ${turn} ${n} ${'z'.repeat(100_000)}`, {}),
          )
        : 'Done.',
    ),
    instructions: 'Call what is not there.',
  }),
  defineAgent({
    name: 'long-winded',
    model: scripted(['Short.']),
    instructions: 'i'.repeat(3 * MB),
  }),
];

const served = serveAgents({ agents });

/** Runs a conversation to its end; no task failed, no payload came near the limit. */
async function run(agent: string) {
  const conversation = await served.client.start(agent, { message: 'go' });
  const result = await conversation.result();
  await expectBounded(conversation.id);
  return { conversation, result };
}

async function expectBounded(id: string): Promise<void> {
  const { temporal } = served.client;
  expect(await failedTasks(temporal, id)).toEqual([]);
  const events = await eventsOfRuns(temporal, id);
  const sizes = events.map((event) => JSON.stringify(event).length * 0.75);
  expect(Math.max(...sizes)).toBeLessThan(MAX_EVENT_BYTES);
  // What a local activity returns above the limit would be tried again for ever.
  expect(events.filter((event) => event.markerRecordedEventAttributes)).toEqual([]);
}

describe('a conversation', () => {
  test('passes arguments of 3 MB on whole', async () => {
    await run('arguments');
    expect(received).toEqual([3 * MB]);
  });

  test('asks a person about arguments of 3 MB, by reference', async () => {
    const conversation = await served.client.start('asked-arguments', { message: 'go' });
    await expect.poll(() => conversation.approvals(), { timeout: 20_000 }).toHaveLength(1);
    const [request] = await conversation.approvals();
    expect(isBlobReference(request?.input)).toBe(true);
    await conversation.approve(request?.key ?? '', { by: { id: 'a' }, digest: request?.digest });
    expect(await conversation.result()).toMatchObject({
      summary: { calls: { asked_take: { ok: 1 } } },
    });
    await expectBounded(conversation.id);
  });

  test('goes on after results of 20 MB, in whatever form', async () => {
    const { result, conversation } = await run('results');
    expect(result.summary.calls['make']).toMatchObject({ ok: expect.any(Number) });
    const shown = requests.map((request) => JSON.stringify(request.messages.at(-1)).length);
    expect(Math.max(...shown.slice(0, -1))).toBeLessThan(100_000);
    const text = (await conversation.entries()).find(({ header }) => header.key?.includes('/1.1.'));
    expect(text?.entry).toMatchObject({ kind: 'result', original: { size: 20 * MB + 2 } });
  });

  test('ends with an answer of 300 KB, by reference', async () => {
    const { result } = await run('talker');
    expect(result.textBlob?.size).toBe(300_002);
    expect(result.text).toMatch(/^y+…$/);
  });

  test('ends with a structured answer of 1 MB, by reference', async () => {
    const { result } = await run('structured');
    expect(result.output).toBeUndefined();
    expect(result.outputBlob?.size).toBeGreaterThan(MB);
  });

  test('plans, runs and records many calls whose arguments are large together', async () => {
    const { result } = await run('many-calls');
    expect(result.summary.calls['small']).toEqual({ ok: 128, truncated: 12 });
  });

  test('settles calls of tools with names of 100 KB', async () => {
    const { result } = await run('nameless');
    const categories = Object.values(result.summary.calls);
    expect(categories.length).toBeLessThanOrEqual(201);
    expect(categories.reduce((sum, { unknown_tool = 0 }) => sum + unknown_tool, 0)).toBe(300);
  });

  test('runs on instructions of 3 MB', async () => {
    const { result } = await run('long-winded');
    expect(result.text).toBe('Short.');
  });

  test('does not start with a context of 3 MB', async () => {
    const context = { text: 'c'.repeat(3 * MB) };
    await expect(served.client.start('talker', { message: 'go', context })).rejects.toMatchObject({
      name: 'PerdureRefusal',
      code: 'too_large',
    });
  });

  test('is stopped with a reason of 1.9 MB', async () => {
    const conversation = await served.client.start('asked-arguments', {
      mode: 'chat',
      message: 'go',
    });
    await expect.poll(() => conversation.approvals(), { timeout: 20_000 }).toHaveLength(1);
    await conversation.stop({ reason: 'r'.repeat(1_900_000), by: { id: 'b' } });
    await expect
      .poll(async () => (await conversation.status()).lastTurn?.stopReason, { timeout: 20_000 })
      .toBe('stopped');
    await conversation.close();
    await conversation.result();
    expect(await failedTasks(served.client.temporal, conversation.id)).toEqual([]);
  });
});
