import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const STEPS = 40;
const requests: ModelRequest[] = [];
const chats: ModelRequest[] = [];
const ran: number[] = [];

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'once',
  execute: ({ n }) => {
    ran.push(n);
    return `counted ${n} ${'x'.repeat(500)}`;
  },
});

const gated = defineTool({
  name: 'gated',
  description: 'Asks first.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'once',
  needsApproval: true,
  execute: ({ n }) => `allowed ${n}`,
});

const counter = defineAgent({
  name: 'counter',
  model: scripted((request, turn) => {
    requests.push(request);
    return turn < STEPS ? toolCall('count', { n: turn }) : `counted to ${turn}`;
  }),
  instructions: 'Count.',
  tools: [count],
});

const asker = defineAgent({
  name: 'asker',
  model: scripted((_request, turn) =>
    turn < 12
      ? toolCall('count', { n: 1_000 + turn })
      : turn === 12
        ? [toolCall('gated', { n: 1 }), toolCall('gated', { n: 2 })]
        : `finished at ${turn}`,
  ),
  instructions: 'Ask.',
  tools: [count, gated],
});

const echo = defineAgent({
  name: 'chatter',
  model: scripted((request, turn) => {
    chats.push(request);
    return `answer ${turn}`;
  }),
  instructions: 'Chat.',
});

const served = serveAgents({
  agents: [counter, asker, echo],
  internals: { handOver: { bytes: 3_000_000, events: 80 } },
});

describe('a conversation whose history is full', () => {
  test('goes on in new runs, and the model sees the whole transcript', async () => {
    const conversation = await served.client.start('counter', { message: 'count' });
    const { runId } = await conversation.describe();
    expect(await conversation.result()).toMatchObject({
      text: `counted to ${STEPS}`,
      summary: { calls: { count: { ok: STEPS } }, completions: STEPS + 1 },
    });
    expect(ran.filter((n) => n < 1_000)).toEqual(Array.from({ length: STEPS }, (_, n) => n));
    const last = requests.at(-1)?.messages ?? [];
    expect(last).toHaveLength(1 + 2 * STEPS);
    const results = last.flatMap((message) => (message.role === 'tool' ? message.results : []));
    expect(results.map(({ content }) => JSON.stringify(content).slice(0, 40))).toEqual(
      Array.from({ length: STEPS }, (_, n) => expect.stringContaining(`counted ${n} x`)),
    );
    expect((await conversation.describe()).runId).not.toBe(runId);
  });

  test('carries what waits for a person into the new run', async () => {
    const conversation = await served.client.start('asker', { message: 'ask' });
    await expect.poll(() => conversation.approvals(), { timeout: 30_000 }).toHaveLength(2);
    const [first, second] = await conversation.approvals();
    const run = (await conversation.status()).run;
    // Messages fill the history while it waits.
    for (let n = 0; n < 30; n++) await conversation.send(`note ${n}`);
    await expect.poll(async () => (await conversation.status()).run).not.toBe(run);
    expect((await conversation.approvals()).map(({ key }) => key)).toEqual([
      first?.key,
      second?.key,
    ]);
    await conversation.approve(first?.key ?? '', { by: { id: 'a' } });
    await conversation.deny(second?.key ?? '', { by: { id: 'a' }, reason: 'one is enough' });
    expect(await conversation.result()).toMatchObject({
      turns: 2,
      summary: { calls: { gated: { ok: 1, denied: 1 } } },
    });
  });

  test('loses no message of a chat, and takes each once', async () => {
    const conversation = await served.client.start('chatter', { mode: 'chat' });
    for (let n = 1; n <= 60; n++) {
      await conversation.send(`message ${n}`, { id: `id-${n}` });
      if (n % 7 === 0) await conversation.send(`message ${n}`, { id: `id-${n}` });
    }
    await expect.poll(async () => (await conversation.status()).status).toBe('waiting_input');
    await conversation.close();
    expect(await conversation.result()).toMatchObject({ stopReason: 'closed' });
    const said = chats
      .at(-1)
      ?.messages.flatMap((message) => (message.role === 'user' ? message.content : []))
      .map((part) => (part.type === 'text' ? part.text : ''));
    expect(said).toEqual(Array.from({ length: 60 }, (_, n) => `message ${n + 1}`));
  });
});
