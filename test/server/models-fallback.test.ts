import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import type { Duration } from '../../src/core/duration.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import { startModelServer, type WireReply } from '../../src/models/contract/model-server.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { toolOutput } from '../../src/tools/tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const SOON = { timeout: 30_000 };
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image', mediaType: 'image/png', data: PIXEL } as const;
const busy = () => anthropicWire.error('overloaded', { 'retry-after-ms': '20' });

/** The replies of the two services, in order; each agent has a pair of its own. */
async function services(
  first: readonly WireReply[] | (() => WireReply),
  second: readonly WireReply[],
) {
  const replies = (list: readonly WireReply[]) => (_request: unknown, n: number) =>
    list[n] ?? list.at(-1) ?? busy();
  const one = await startModelServer(typeof first === 'function' ? first : replies(first));
  const two = await startModelServer(replies(second));
  afterAll(() => Promise.all([one.close(), two.close()]));
  return { one, two };
}

type Services = Awaited<ReturnType<typeof services>>;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({ where: z.string() }),
  effect: 'read',
  execute: ({ where }) =>
    toolOutput(`seen ${where}`, { content: [{ type: 'text', text: `seen ${where}` }, IMAGE] }),
});

function agentOn(name: string, { one, two }: Services, modelPatience: Duration = 30) {
  return defineAgent({
    name,
    model: [
      anthropic('claude-first', {
        apiKey: 'test-key',
        baseURL: one.url,
        modelOptions: { thinking: { type: 'adaptive' } },
      }),
      openaiCompatible({ model: 'second', baseURL: two.url, capabilities: { images: false } }),
    ],
    instructions: 'Look.',
    tools: [look],
    hostedTools: [{ type: 'web_search_20260318', name: 'web_search' }],
    modelPatience,
  });
}

const call = (id: string, where: string) => ({ id, name: 'look', input: { where } });
const midway = await services(
  [
    anthropicWire.answer({ reasoning: 'Hm, wo?', text: 'I look.', calls: [call('toolu_1', 'up')] }),
    busy(),
  ],
  [
    openaiWire.answer({ calls: [call('call_2', 'down')] }),
    openaiWire.answer({ text: 'Nothing.' }),
    openaiWire.answer({ text: 'Still nothing.' }),
  ],
);
const tomorrow = await services(
  [anthropicWire.error('rate_limited', { 'retry-after': '36000' })],
  [openaiWire.answer({ text: 'At once.' })],
);
const unpaid = await services(
  [anthropicWire.error('billing')],
  [openaiWire.answer({ text: 'On the house.' })],
);
const wrong = await services([anthropicWire.error('invalid_request')], []);
const both: Services = await services(
  // Back once the second has given up.
  () => (both.two.requests.length < 4 ? busy() : anthropicWire.answer({ text: 'Back again.' })),
  [openaiWire.error('overloaded', { 'retry-after-ms': '20' })],
);

const served = serveAgents({
  agents: [
    agentOn('midway', midway),
    agentOn('tomorrow', tomorrow, '15 minutes'),
    agentOn('unpaid', unpaid, '15 minutes'),
    agentOn('wrong', wrong),
    agentOn('both', both),
  ],
});

async function notesOf(conversation: ConversationHandle): Promise<string[]> {
  return (await conversation.entries()).flatMap(({ entry }) =>
    entry.kind === 'note' && entry.code === 'model_switched' ? [entry.text] : [],
  );
}

async function rest(conversation: ConversationHandle, turn: number) {
  const state = async () => {
    const { status, lastTurn } = await conversation.status();
    return status === 'waiting_input' ? lastTurn : undefined;
  };
  await expect.poll(state, SOON).toMatchObject({ turn });
  return state();
}

describe('an agent with two models', () => {
  test('goes on with the second where the first gave up, with a request that is lawful there', async () => {
    const conversation = await served.client.start('midway', {
      mode: 'chat',
      message: [{ type: 'text', text: 'Look around' }, IMAGE],
    });
    expect(await rest(conversation, 1)).toMatchObject({ stopReason: 'answered', text: 'Nothing.' });
    expect(await notesOf(conversation)).toEqual([
      expect.stringMatching(/^claude-first gave up \(overloaded: .*\); second goes on$/),
    ]);
    const first = anthropicWire.read(midway.one.requests[1]?.body ?? null);
    expect(JSON.stringify(first.messages)).toContain('"signature":"c2lnbmF0dXJl"');
    expect(JSON.stringify(first)).toContain(PIXEL);

    const [sent, again] = midway.two.requests.map(({ body }) => openaiWire.read(body));
    expect(sent?.messages).toEqual([
      { role: 'user', content: expect.stringContaining('this model takes no images') },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [expect.objectContaining({ id: expect.stringMatching(/^[\w-]+$/) })],
      },
      { role: 'tool', tool_call_id: idOfCall(sent?.messages[1]), content: expect.any(String) },
    ]);
    for (const { text } of midway.two.requests) {
      for (const bound of ['Hm, wo?', 'signature', PIXEL, 'web_search', 'adaptive']) {
        expect(text).not.toContain(bound);
      }
    }
    const { length } = sent?.messages ?? [];
    expect(JSON.stringify(again?.messages.slice(0, length))).toBe(JSON.stringify(sent?.messages));

    const { usagePerModel, failedAttempts } = await conversation.summary();
    expect(Object.keys(usagePerModel).sort()).toEqual(['claude-wire-1', 'wire-1']);
    const askedFirst = midway.one.requests.length;
    expect(askedFirst).toBeGreaterThanOrEqual(5);
    expect(failedAttempts).toEqual({ count: askedFirst - 1, withoutUsage: askedFirst - 1 });
    await conversation.send('Look again');
    expect(await rest(conversation, 2)).toMatchObject({ text: 'Still nothing.' });
    expect(midway.one.requests).toHaveLength(askedFirst);
    await conversation.close();
  });

  test('does not wait ten hours for the first', async () => {
    const conversation = await served.client.start('tomorrow', { message: 'Go' });
    expect(await conversation.result()).toMatchObject({ text: 'At once.' });
    expect(tomorrow.one.requests).toHaveLength(1);
    expect(await notesOf(conversation)).toHaveLength(1);
  });

  test('goes on at once where an account does not serve, and not where the request is at fault', async () => {
    const conversation = await served.client.start('unpaid', { message: 'Go' });
    expect(await conversation.result()).toMatchObject({ text: 'On the house.' });
    expect(unpaid.one.requests).toHaveLength(1);
    const refused = await served.client.start('wrong', { message: 'Go' });
    await expect(refused.result()).rejects.toMatchObject({ type: 'ModelRejected' });
    expect(wrong.two.requests).toHaveLength(0);
  });

  test('begins the next turn with the first, when both had failed', async () => {
    const conversation = await served.client.start('both', { mode: 'chat', message: 'Go' });
    expect(await rest(conversation, 1)).toMatchObject({ stopReason: 'model_unavailable' });
    expect(both.two.requests.length).toBeGreaterThanOrEqual(4);
    await conversation.send('And now?');
    expect(await rest(conversation, 2)).toMatchObject({
      stopReason: 'answered',
      text: 'Back again.',
    });
    await conversation.close();
  });
});

function idOfCall(message: unknown): unknown {
  const calls = isJsonObject(message) ? message['tool_calls'] : undefined;
  return Array.isArray(calls) ? (calls[0] as JsonObject)['id'] : undefined;
}
