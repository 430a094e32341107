import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { NO_USAGE } from '../../src/core/usage.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import {
  type RecordedRequest,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { WIRE_USAGE } from '../../src/models/contract/wire.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const CONVERSATIONS = 20;
const STEPS = 8;
const FAULTS = 0.3;
const SEED = Number(process.env['PERDURE_TEST_SEED'] ?? 20_261_130);

/** A small generator of random numbers, so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const soon = { 'retry-after-ms': '30' };
/** Faults, and whether the usage of the start reaches the client. */
const KINDS: readonly { readonly reply: WireReply; readonly tellsUsage: boolean }[] = [
  { reply: wire.error('rate_limited', soon), tellsUsage: false },
  { reply: wire.error('overloaded', soon), tellsUsage: false },
  { reply: wire.error('server_error', soon), tellsUsage: false },
  { reply: { chunks: [], end: 'reset' }, tellsUsage: false },
  { reply: wire.cut({ text: 'Half of a sentence' }), tellsUsage: true },
  { reply: wire.errorInStream('overloaded'), tellsUsage: true },
];

const next = random(SEED);
let withUsage = 0;
let answered = 0;
const problems: string[] = [];

const server = await startModelServer((request) => {
  problems.push(...problemsOf(request));
  if (next() < FAULTS) {
    const fault = KINDS[Math.floor(next() * KINDS.length)] ?? KINDS[0];
    if (fault?.tellsUsage === true) withUsage += 1;
    return fault?.reply ?? wire.error('overloaded');
  }
  answered += 1;
  const turns = messagesOf(request).filter((message) => message['role'] === 'assistant').length;
  return turns < STEPS
    ? wire.answer({
        text: 'On.',
        calls: [{ id: `toolu_${turns}`, name: 'add', input: { n: turns } }],
      })
    : wire.answer({ text: `The sum is ${sumOf(request)}.` });
});
afterAll(() => server.close());

function messagesOf({ body }: RecordedRequest): readonly JsonObject[] {
  return wire.read(body).messages.filter(isJsonObject);
}

function blocksOf(message: JsonObject | undefined, type: string): readonly JsonObject[] {
  const content: Json = message?.['content'] ?? [];
  return Array.isArray(content)
    ? content.filter(isJsonObject).filter((block) => block['type'] === type)
    : [];
}

/** What the API would refuse. */
function problemsOf(request: RecordedRequest): string[] {
  const messages = messagesOf(request);
  const found = messages.flatMap((message, index) => {
    const calls = blocksOf(message, 'tool_use').map((call) => call['id']);
    const results = blocksOf(messages[index + 1], 'tool_result').map((r) => r['tool_use_id']);
    return JSON.stringify(calls) === JSON.stringify(results) || message['role'] === 'user'
      ? []
      : [`calls ${JSON.stringify(calls)} got results ${JSON.stringify(results)}`];
  });
  if (messages.at(-1)?.['role'] !== 'user') found.push('the last message is the model’s');
  return found;
}

function sumOf(request: RecordedRequest): number {
  const results = messagesOf(request).flatMap((message) => blocksOf(message, 'tool_result'));
  const numbers = results.map((result) =>
    Number(/"text":"(\d+)"/.exec(JSON.stringify(result))?.[1]),
  );
  return numbers.reduce((sum, n) => sum + n, 0);
}

const runs = new Map<number, number>();
const agent = defineAgent({
  name: 'adder',
  model: anthropic('claude-wire-1', { apiKey: 'test-key', baseURL: server.url }),
  instructions: 'Add.',
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds.',
      inputSchema: z.object({ n: z.number() }),
      effect: 'once',
      execute: ({ n }) => {
        runs.set(n, (runs.get(n) ?? 0) + 1);
        return String(n);
      },
    }),
  ],
});
const served = serveAgents({ agents: [agent] });

test(`with faults in ${FAULTS * 100} % of the completions all is as without (seed ${SEED})`, async () => {
  const conversations = await Promise.all(
    Array.from({ length: CONVERSATIONS }, () => served.client.start('adder', { message: 'Add' })),
  );
  const results = await Promise.all(conversations.map((conversation) => conversation.result()));
  const sum = (STEPS * (STEPS - 1)) / 2;
  expect(new Set(results.map(({ text }) => text))).toEqual(new Set([`The sum is ${sum}.`]));
  expect(problems).toEqual([]);
  expect(answered).toBe(CONVERSATIONS * (STEPS + 1));
  expect(withUsage).toBeGreaterThan(0);
  expect([...runs.values()]).toEqual(Array.from({ length: STEPS }, () => CONVERSATIONS));
  // What reached the client is counted: whole answers, and what broken ones said at their start.
  const used = results.reduce(
    (total, { usage }) => ({
      input: total.input + usage.input,
      output: total.output + usage.output,
    }),
    { input: NO_USAGE.input, output: NO_USAGE.output },
  );
  expect(used).toEqual({
    input: (answered + withUsage) * WIRE_USAGE.input,
    output: answered * WIRE_USAGE.output + withUsage,
  });
});
