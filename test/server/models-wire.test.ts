import { Connection, WorkflowClient } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import { MODEL_FAILURES } from '../../src/core/failure.ts';
import { isJsonObject } from '../../src/core/json.ts';
import { addUsage } from '../../src/core/usage.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import {
  type RecordedRequest,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import {
  jsonReply,
  type ModelWire,
  WIRE_USAGE,
  type WireError,
} from '../../src/models/contract/wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import { costOf } from '../../src/models/prices.ts';
import { textProtocol } from '../../src/models/text-protocol/text-protocol.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { type CliRun, runCli } from '../cli/run-cli.ts';
import { runHere } from '../cli/run-here.ts';
import { serveAgents } from '../support/serve-agents.ts';

/** What a service sends: `n` counts the requests of one agent in one scenario, from 0. */
type Scenario = (wire: ModelWire, n: number) => WireReply;

const soon = { 'retry-after-ms': '20' };
const errors = (...kinds: readonly WireError[]): { readonly [kind: string]: Scenario } =>
  Object.fromEntries(kinds.map((kind) => [kind, (wire) => wire.error(kind, soon)]));
const once =
  (broken: (wire: ModelWire) => WireReply): Scenario =>
  (wire, n) =>
    n === 0 ? broken(wire) : wire.answer({ text: 'All is well.' });
const paid = (wire: ModelWire, text: string, more: object = {}) =>
  wire.answer({ calls: [{ id: 'a', name: 'pay', text }], ...more });

/** By what the user says last. */
const SCENARIOS: { readonly [said: string]: Scenario } = {
  'an answer': (wire) => wire.answer({ text: 'All is well.' }),
  'a word of tomorrow': (wire) => wire.answer({ text: 'All is well.', stop: 'other' }),
  'a pause': once((wire) => paused(wire.answer({ text: 'Well: ' }))),
  'a cut call': once((wire) => paid(wire, '{"amount": 1', { stop: 'max_tokens' })),
  'a broken call': once((wire) => paid(wire, '{"amount": 1,,}')),
  'a refusal': (wire) => wire.answer({ text: 'First you', stop: 'refused' }),
  'a cut text': (wire) => wire.answer({ text: 'Well,', stop: 'max_tokens' }),
  'a full window': (wire) => wire.answer({ text: 'As I', stop: 'context_overflow' }),
  'no envelope': (wire) => wire.answer({ text: 'Hm, let me think.' }),
  'a filter': () => jsonReply(400, { error: { code: 'content_filter', message: 'not this' } }),
  'calls without end': (wire, n) =>
    wire.answer({ calls: [{ id: `c${n}`, name: 'look', input: { n } }] }),
  'silence without end': (wire) => ({ ...wire.cut({ text: 'Half' }), end: 'hang' }),
  ...errors('auth', 'permission', 'not_found', 'billing', 'invalid_request', 'too_large'),
  ...errors('context_overflow', 'overloaded'),
  'once rate_limited': once((wire) => wire.error('rate_limited', soon)),
  'once overloaded': once((wire) => wire.error('overloaded', soon)),
  'an error in the stream': once((wire) => wire.errorInStream('overloaded')),
  'once server_error': once((wire) => wire.error('server_error', soon)),
  'once connection': once((wire) => ({ ...wire.cut({ text: 'Half of a' }), end: 'reset' })),
  'once stalled': once((wire) => ({ ...wire.cut({ text: 'Half' }), end: 'hang' })),
  'once bad_response': once(() => ({
    headers: { 'content-type': 'text/html' },
    chunks: [Buffer.from('<html>')],
  })),
};

function paused(reply: WireReply): WireReply {
  const text = Buffer.concat(reply.chunks).toString('utf8');
  return { ...reply, chunks: [Buffer.from(text.replace('"end_turn"', '"pause_turn"'))] };
}

const asked = new Map<string, number>();
const server = await startModelServer((request) => {
  const wire = request.path.includes('/chat/completions') ? openaiWire : anthropicWire;
  const said = lastSaid(wire, request);
  const key = `${/agent (\w+)/.exec(request.text)?.[1]} ${said}`;
  const n = asked.get(key) ?? 0;
  asked.set(key, n + 1);
  return SCENARIOS[said]?.(wire, n) ?? wire.error('server_error');
});

function lastSaid(wire: ModelWire, { body }: RecordedRequest): string {
  const said = wire.read(body).messages.flatMap((message) => {
    if (!isJsonObject(message) || message['role'] !== 'user') return [];
    const { content = null } = message;
    const parts = Array.isArray(content) ? content : [content];
    return parts.map((part) => (isJsonObject(part) ? part['text'] : part));
  });
  return String(
    said.findLast((text) => typeof text === 'string' && Object.hasOwn(SCENARIOS, text)),
  );
}

const payments: number[] = [];
const tools = [
  defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number() }),
    effect: 'once',
    execute: ({ amount }) => {
      payments.push(amount);
      return 'paid';
    },
  }),
  defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({ n: z.number() }),
    effect: 'read',
    execute: () => 'nothing',
  }),
];
const PRICE = { input: 1_000, output: 1_000 };
const claude = anthropic('claude-wire-1', {
  apiKey: 'test-key',
  baseURL: server.url,
  idleTimeoutMs: 3_000,
  price: PRICE,
});
const MODELS = {
  wired: claude,
  chatty: claude,
  open: openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1` }),
  textual: textProtocol(claude),
};
const served = serveAgents({
  agents: Object.entries(MODELS).map(([name, model]) =>
    defineAgent({ name, model, tools, instructions: `You are agent ${name}.`, modelPatience: 1 }),
  ),
});

const CHAT = ['a refusal', 'a cut text', 'auth', 'too_large', 'once rate_limited', 'an answer'];
let connection: Connection;
let chat: Promise<CliRun>;
beforeAll(async () => {
  // A process of its own, that runs beside the others.
  const input = CHAT.map((line) => `${line}\n`).join('');
  chat = runCli(['chat', 'chatty', ...where()], { input });
  connection = await Connection.connect({ address: inject('temporalAddress') });
});
afterAll(async () => {
  await connection.close();
  await server.close();
});

const where = () => [
  '--address',
  inject('temporalAddress'),
  '--task-queue',
  served.taskQueue,
  '--data-dir',
  served.dataDirectory,
];

/** `perdure run`, and what it left. */
async function run(said: string, agent = 'wired', options: readonly string[] = []) {
  const printed = await runHere(['run', agent, said, ...options, ...where()]);
  const [, id = ''] = /^conversation (\S+)$/m.exec(printed.stderr) ?? [];
  const conversation = served.client.handle(id);
  const outcome = await conversation.result().catch((error: unknown) => error);
  return { ...printed, outcome, inTemporal: await seenInTemporal(conversation) };
}

/** What Temporal's UI shows: how the workflow ended, and why each attempt failed. */
async function seenInTemporal({ id }: ConversationHandle) {
  const handle = new WorkflowClient({ connection }).getHandle(id);
  const { events = [] } = await handle.fetchHistory();
  const failure = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  return {
    status: (await handle.describe()).status.name,
    type: failure?.applicationFailureInfo?.type,
    message: failure?.message,
    attempts: (events ?? [])
      .flatMap(({ activityTaskFailedEventAttributes: failed }) =>
        failed ? [failed.failure?.applicationFailureInfo?.type] : [],
      )
      // A full window is tried to be made room in: these conversations are too short.
      .filter((type) => type !== 'CannotCompact'),
  };
}

describe('from bytes on the wire to what people see:', () => {
  test.each([
    ['an answer'],
    ['a word of tomorrow'],
    ['a pause'],
    ['a cut call'],
    ['a broken call'],
  ])('%s is answered', async (said) => {
    const { exitCode, stdout, outcome, inTemporal } = await run(said);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/well\.\n$/),
    });
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'answered' });
    expect(inTemporal).toMatchObject({ status: 'COMPLETED', attempts: [] });
    expect(payments).toEqual([]);
  });

  test.each([
    ['a refusal', 'Refused', undefined],
    ['a cut text', 'Truncated', undefined],
    ['a full window', 'ContextOverflow', undefined],
    ['no envelope', 'Unparseable', undefined, 'textual'],
    ['a filter', 'Refused', 'refused', 'open'],
    ['context_overflow', 'ContextOverflow', 'context_overflow'],
    ['auth', 'ModelRejected', 'auth'],
    ['permission', 'ModelRejected', 'permission'],
    ['not_found', 'ModelRejected', 'not_found'],
    ['billing', 'ModelRejected', 'billing'],
    ['invalid_request', 'ModelRejected', 'invalid_request'],
    ['too_large', 'ModelRejected', 'too_large'],
    ['overloaded', 'ModelUnavailable', 'overloaded'],
  ])('%s fails the task as %s', async (said, type, attempt, agent = 'wired') => {
    const { exitCode, stdout, stderr, outcome, inTemporal } = await run(said, agent);
    const stopReason = type.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^error: .*the turn ended with ${stopReason}`, 'm'));
    expect(outcome).toMatchObject({ end: 'failed', type, stopReason });
    expect(inTemporal).toMatchObject({
      status: 'FAILED',
      type,
      message: expect.stringContaining(`the turn ended with ${stopReason}`),
    });
    expect(new Set(inTemporal.attempts)).toEqual(new Set(attempt === undefined ? [] : [attempt]));
    if (attempt === undefined) return;
    expect(stderr).toContain(`attempt 1: ${attempt}: `);
    expect(inTemporal.message).toContain(`${stopReason}: ${attempt}: `);
    // A busy service is asked four times at least; what is too large once more, without images; a
    // permanent failure is not asked again.
    if (type === 'ModelUnavailable') expect(inTemporal.attempts.length).toBeGreaterThanOrEqual(4);
    else expect(inTemporal.attempts).toHaveLength(said === 'too_large' ? 2 : 1);
  });

  test.each([
    ['max_steps', { maxSteps: 2 }],
    ['max_calls', { maxCalls: 2 }],
    ['max_tokens', { maxTokens: 30 }],
    ['max_cost', { maxCost: 0.02 }],
    ['deadline', { deadline: 1 }],
  ])('the limit %s ends the task, and is no answer', async (stopReason, limits) => {
    const options = ['--limits', JSON.stringify(limits)];
    const { exitCode, stderr, outcome } = await run('calls without end', 'wired', options);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(new RegExp(`^not finished: ${stopReason}$`, 'm'));
    expect(outcome).toMatchObject({ status: 'partial', stopReason });
  });

  const passing = Object.keys(SCENARIOS).filter((said) => said.startsWith('once '));
  test.concurrent.each(passing.map((said) => [said]))(
    '%s: the next attempt answers, and history says why the first did not',
    async (said) => {
      const conversation = await served.client.start('wired', { message: said });
      expect(await conversation.result()).toMatchObject({
        status: 'completed',
        text: 'All is well.',
        summary: { completions: 1, failedAttempts: { count: 1 } },
      });
      const { attempts } = await seenInTemporal(conversation);
      expect(attempts).toEqual([said.replace('once ', '')]);
    },
  );

  test('what a broken answer used is counted, and costs', async () => {
    const conversation = await served.client.start('wired', { message: 'an error in the stream' });
    const { usage, cost, summary } = await conversation.result();
    const began = { ...WIRE_USAGE, output: 1, reasoning: 0 };
    expect(usage).toEqual(addUsage(WIRE_USAGE, began));
    expect(cost).toBeCloseTo(costOf(WIRE_USAGE, PRICE) + costOf(began, PRICE));
    expect(summary.failedAttempts).toEqual({ count: 1, withoutUsage: 0 });
  });

  test('a stop in the middle of a stream is a stop, not a failure of the model', async () => {
    const conversation = await served.client.start('wired', { message: 'silence without end' });
    await expect.poll(() => asked.get('wired silence without end'), { timeout: 20_000 }).toBe(1);
    await conversation.stop({ by: { id: 'lead' } });
    await expect(conversation.result()).rejects.toMatchObject({
      type: 'Stopped',
      result: { summary: { failedAttempts: { count: 1, withoutUsage: 1 } } },
    });
    expect((await seenInTemporal(conversation)).attempts).toEqual([]);
  });

  test('there is a scenario for each type of failure', () => {
    const met = Object.keys(SCENARIOS).map((said) => said.replace('once ', ''));
    const otherwise = { refused: 'a filter', cancelled: 'silence without end' };
    for (const type of MODEL_FAILURES) {
      expect(met).toContain(Object.hasOwn(otherwise, type) ? Reflect.get(otherwise, type) : type);
    }
  });

  test('a chat stays usable after each of them, and says how each turn ended', async () => {
    const { exitCode, stdout, stderr } = await chat;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/well\.$/),
    });
    for (const ended of [
      'turn 1 ended: refused',
      'turn 2 ended: truncated',
      'turn 3 ended: model_rejected: auth: ',
      'turn 4 ended: model_rejected: too_large: ',
      'attempt 1: rate_limited: ',
    ]) {
      expect(stderr).toContain(ended);
    }
    expect(stderr).not.toMatch(/turn [56] ended/);
    const [, id = ''] = /^conversation (\S+)$/m.exec(stderr) ?? [];
    expect(await served.client.handle(id).result()).toMatchObject({
      stopReason: 'closed',
      turns: CHAT.length,
    });
  });
});
