import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConversationFailed } from '../../src/client/index.ts';
import { isJsonObject, type Json } from '../../src/core/json.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import {
  type RecordedRequest,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import type { WireError } from '../../src/models/contract/wire.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

/** What the server sends in a conversation whose first message is the key; `n` counts its requests. */
const SCENARIOS: { readonly [scenario: string]: (n: number) => WireReply } = {
  answer: () => wire.answer({ text: 'All is well.' }),
  refusal: () => wire.answer({ text: 'First you', stop: 'refused' }),
  'cut text': () => wire.answer({ text: 'Well,', stop: 'max_tokens' }),
  'a word of tomorrow': () => wire.answer({ text: 'Fine.', stop: 'other' }),
  'a full window': () => wire.answer({ text: 'As I', stop: 'context_overflow' }),
  'a cut call': (n) =>
    n === 0
      ? wire.answer({ stop: 'max_tokens', calls: [{ id: 'a', name: 'pay', text: '{"amount": 1' }] })
      : wire.answer({ text: 'I stop here.' }),
  'a broken call': (n) =>
    n === 0
      ? wire.answer({ calls: [{ id: 'a', name: 'pay', text: '{"amount": 1,,}' }] })
      : wire.answer({ text: 'I stop here.' }),
  'busy for ever': () => wire.error('overloaded', { 'retry-after-ms': '20' }),
  ...failing('auth', 'permission', 'not_found', 'billing', 'invalid_request'),
  ...failing('context_overflow'),
  ...recovering('rate_limited', () => wire.error('rate_limited', { 'retry-after-ms': '20' })),
  ...recovering('overloaded', () => wire.error('overloaded', { 'retry-after-ms': '20' })),
  ...recovering('server_error', () => wire.error('server_error', { 'retry-after-ms': '20' })),
  ...recovering('an error in the stream', () => wire.errorInStream('overloaded')),
  ...recovering('a cut stream', () => wire.cut({ text: 'Half of a' })),
  ...recovering('a reset', () => ({ ...wire.cut({ text: 'Half of a' }), end: 'reset' })),
  ...recovering('a silent stream', () => ({ ...wire.cut({ text: 'Half' }), end: 'hang' })),
  ...recovering('a web page', () => ({
    headers: { 'content-type': 'text/html' },
    chunks: [Buffer.from('<html>')],
  })),
};

function failing(...errors: readonly WireError[]) {
  return Object.fromEntries(errors.map((error) => [error, () => wire.error(error)]));
}

function recovering(name: string, reply: () => WireReply) {
  return { [name]: (n: number) => (n === 0 ? reply() : wire.answer({ text: 'All is well.' })) };
}

const asked = new Map<string, number>();
const server = await startModelServer((request) => {
  const scenario = firstText(request);
  const n = asked.get(scenario) ?? 0;
  asked.set(scenario, n + 1);
  return SCENARIOS[scenario]?.(n) ?? wire.error('server_error');
});
afterAll(() => server.close());

function firstText({ body }: RecordedRequest): string {
  const [message] = wire.read(body).messages;
  const content: Json = isJsonObject(message) ? (message['content'] ?? null) : null;
  const part = Array.isArray(content) ? (content[0] as Json) : content;
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
}

const paid: number[] = [];
const agent = defineAgent({
  name: 'wired',
  model: anthropic('claude-wire-1', {
    apiKey: 'test-key',
    baseURL: server.url,
    idleTimeoutMs: 3_000,
  }),
  instructions: 'Help.',
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number() }),
      effect: 'once',
      execute: ({ amount }) => {
        paid.push(amount);
        return 'paid';
      },
    }),
  ],
  modelPatience: 1,
});

const served = serveAgents({ agents: [agent] });

async function outcome(scenario: string) {
  const conversation = await served.client.start('wired', { message: scenario });
  return conversation.result().catch((error: unknown) => {
    if (error instanceof ConversationFailed) return error;
    throw error;
  });
}

describe('from bytes on the wire to the result', () => {
  test.concurrent.each([
    ['answer', 'answered', 'All is well.'],
    ['a word of tomorrow', 'answered', 'Fine.'],
    ['a cut call', 'answered', 'I stop here.'],
    ['a broken call', 'answered', 'I stop here.'],
  ])('%s: %s', async (scenario, stopReason, text) => {
    expect(await outcome(scenario)).toMatchObject({ status: 'completed', stopReason, text });
    expect(paid).toEqual([]);
  });

  test.concurrent.each([
    ['refusal', 'Refused', 'refused'],
    ['cut text', 'Truncated', 'truncated'],
    ['a full window', 'ContextOverflow', 'context_overflow'],
    ['context_overflow', 'ContextOverflow', 'context_overflow'],
    ['auth', 'ModelRejected', 'model_rejected'],
    ['permission', 'ModelRejected', 'model_rejected'],
    ['not_found', 'ModelRejected', 'model_rejected'],
    ['billing', 'ModelRejected', 'model_rejected'],
    ['invalid_request', 'ModelRejected', 'model_rejected'],
    ['busy for ever', 'ModelUnavailable', 'model_unavailable'],
  ])('%s fails the task as %s, red in Temporal’s UI', async (scenario, type, stopReason) => {
    const failed = await outcome(scenario);
    expect(failed).toBeInstanceOf(ConversationFailed);
    expect(failed).toMatchObject({ end: 'failed', type, stopReason });
  });

  test.concurrent.each([
    ['rate_limited'],
    ['overloaded'],
    ['server_error'],
    ['an error in the stream'],
    ['a cut stream'],
    ['a reset'],
    ['a silent stream'],
    ['a web page'],
  ])('%s passes, and the answer is the same', async (scenario) => {
    expect(await outcome(scenario)).toMatchObject({
      status: 'completed',
      text: 'All is well.',
      summary: { completions: 1 },
    });
    expect(asked.get(scenario)).toBe(2);
  });

  test('only a permanent failure is not tried again, and a busy service four times at least', async () => {
    await outcome('auth');
    await outcome('busy for ever');
    expect(asked.get('auth')).toBeLessThanOrEqual(2);
    expect(asked.get('busy for ever')).toBeGreaterThanOrEqual(4);
  });
});
