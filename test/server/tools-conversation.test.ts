import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest, ToolResultPart } from '../../src/core/model-request.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import type { EventSink } from '../../src/streams/event-sink.ts';
import { noEventSink } from '../../src/streams/none.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { type ToolContext, ToolError } from '../../src/tools/tool.ts';
import { violationsOf } from '../core/request-linter/check-request.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';

const SECRET = 'sk-never-to-be-seen-4711';
const requests = new Map<string, ModelRequest[]>();
/** Calls that ran although their policy did not let them. */
const ran: string[] = [];
let running = 0;
let most = 0;

const work = defineTool({
  name: 'work',
  description: 'Works, in one way or another.',
  inputSchema: z.object({ how: z.enum(['well', 'badly', 'not at all', 'for ever']) }),
  effect: 'read',
  timeout: '500 ms',
  async execute({ how }, { signal }) {
    if (how === 'badly') throw new TypeError('this is a bug');
    if (how === 'not at all') throw new ToolError('the shop is closed');
    if (how === 'for ever') await new Promise((_, reject) => (signal.onabort = reject));
    return 'done';
  },
});

const forbidden = defineTool({ ...simple('forbidden'), execute: () => ran.push('forbidden') });
const puzzling = defineTool({ ...simple('puzzling'), execute: () => ran.push('puzzling') });
const slow = defineTool({
  ...simple('slow'),
  async execute() {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 150));
    running -= 1;
    return 'slow';
  },
});
const charge = defineTool({
  ...simple('charge'),
  execute: (_, ctx: ToolContext<{ gateway: { key: string } }>) =>
    `charged by a key of ${ctx.deps.gateway.key.length} characters`,
});

const log: string[] = [];
const note = defineTool({
  name: 'note',
  description: 'Writes something down.',
  inputSchema: z.object({ n: z.number(), where: z.string().default('the margin') }),
  effect: 'idempotent',
  execute: ({ n, where }) => {
    log.push(`run ${n}`);
    return { n, where, kept: true };
  },
});

function simple(name: string) {
  const inputSchema = z.object({});
  return { name, description: `Is ${name}.`, inputSchema, effect: 'read' } as const;
}

const noted = (script: Parameters<typeof scripted>[0]): ReturnType<typeof scripted> => {
  const model = scripted(script);
  return {
    ...model,
    complete(request, options) {
      const seen = requests.get(request.conversationId) ?? [];
      requests.set(request.conversationId, [...seen, request]);
      return model.complete(request, options);
    },
  };
};

const everyFailure = [
  { ...toolCall('work', {}), malformed: 'it ends in the middle' },
  toolCall('wrok', { how: 'well' }),
  toolCall('forbidden'),
  toolCall('work', { how: 7, extra: 1 }),
  toolCall('work', { how: 'for ever' }),
  toolCall('work', { how: 'not at all' }),
  toolCall('puzzling'),
  toolCall('work', { how: 'badly' }),
  toolCall('work', { how: 'well' }),
];

const agents = [
  defineAgent({
    name: 'unlucky',
    model: noted([everyFailure, 'I have seen it all.']),
    instructions: 'Try everything.',
    tools: [work, forbidden, puzzling],
    policy({ tool }) {
      if (tool === 'puzzling') throw new Error('I cannot decide');
      return tool === 'forbidden' ? { deny: 'not while the shop is closed' } : 'allow';
    },
  }),
  defineAgent({
    name: 'discreet',
    model: noted([toolCall('charge'), 'Charged.']),
    instructions: 'Charge.',
    tools: [charge],
  }),
  defineAgent({
    name: 'patient',
    model: noted([Array.from({ length: 5 }, () => toolCall('slow')), 'Done.']),
    instructions: 'Wait.',
    tools: [slow],
    maxParallel: 2,
  }),
  defineAgent({
    name: 'terse',
    model: noted([toolCall('note', { n: 1 }), 'Noted.']),
    instructions: 'Note.',
    tools: [note],
  }),
  defineAgent({
    name: 'guarded',
    model: noted([[0, 1, 2].map((n) => toolCall('note', { n })), 'Noted.']),
    instructions: 'Note.',
    tools: [note],
    async policy({ input }) {
      const n = Number(input['n']);
      log.push(`ask ${n}`);
      await pause(n === 0 ? 50 : 1);
      log.push(`told ${n}`);
      return n === 1 ? { deny: 'one is enough' } : 'allow';
    },
  }),
];

/** What was to be published, by conversation. */
const told = new Map<string, StreamEvent[]>();
/** Breaks its contract: it throws. */
const brokenSink: EventSink = {
  ...noEventSink(),
  publish(conversationId, events) {
    told.set(conversationId, [...(told.get(conversationId) ?? []), ...events]);
    throw new Error('nobody listens');
  },
};

const served = serveAgents({
  agents,
  deps: { gateway: { key: SECRET } },
  events: brokenSink,
});

async function run(agent: string) {
  const conversation = await served.client.start(agent, { message: 'Go.' });
  const result = await conversation.result();
  return { conversation, result, requests: requests.get(conversation.id) ?? [] };
}

const resultsIn = (request: ModelRequest | undefined): readonly ToolResultPart[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'tool' ? message.results : []));

const wordsOf = ({ content }: ToolResultPart): string =>
  content[0]?.type === 'text' ? content[0].text : '';

describe('a conversation with tools, watched through a sink that throws', () => {
  test('gives the model one result for every way in which a call can fail, and goes on', async () => {
    const { result, requests: seen } = await run('unlucky');
    const results = resultsIn(seen.at(-1));
    expect(results.map((one) => /^\[(\w+)\]/.exec(wordsOf(one))?.[1] ?? 'ok')).toEqual([
      'invalid_input',
      'unknown_tool',
      'denied',
      'invalid_input',
      'timeout',
      'tool_error',
      'approval_failed',
      'tool_failed',
      'ok',
    ]);
    expect(results.map(({ isError }) => isError)).toEqual([...Array(8).fill(true), false]);
    const words = results.map(wordsOf);
    expect(words[1]).toContain('The tools are: work, forbidden, puzzling.');
    expect(words[2]).toContain('not while the shop is closed');
    expect(words[3]).toMatch(/\/how: must be .*, got 7/);
    expect(words[3]).toContain('/extra: is not known here');
    expect(words[5]).toContain('the shop is closed');
    expect(words[7]).toContain('TypeError: this is a bug');
    expect(seen.flatMap((request) => violationsOf(request))).toEqual([]);
    expect(result).toMatchObject({ text: 'I have seen it all.', stopReason: 'answered' });
  });

  test('runs nothing that its policy denied or could not decide', async () => {
    const { result } = await run('unlucky');
    expect(result.summary.calls).toMatchObject({
      forbidden: { denied: 1 },
      puzzling: { approval_failed: 1 },
    });
    expect(ran).toEqual([]);
  });

  test('ends as it would unwatched, though each event was thrown back', async () => {
    const { conversation, result, requests: seen } = await run('discreet');
    const types = new Set(told.get(conversation.id)?.map(({ type }) => type));
    expect([...types]).toEqual(['reset', 'call', 'completion', 'started', 'result', 'text']);
    expect(result).toMatchObject({ status: 'completed', text: 'Charged.' });
    expect(result.summary).not.toHaveProperty('failedAttempts');
    expect(seen).toHaveLength(2);
  });

  test('shows the tools to the model in the order in which its agent has them', async () => {
    const { requests: seen } = await run('unlucky');
    expect(seen.map(({ tools }) => tools.map(({ name }) => name))).toEqual(
      Array(2).fill(['work', 'forbidden', 'puzzling']),
    );
  });

  test('ends with the exact number of calls per tool and outcome', async () => {
    const { result } = await run('unlucky');
    expect(result.summary.calls).toEqual({
      wrok: { unknown_tool: 1 },
      forbidden: { denied: 1 },
      puzzling: { approval_failed: 1 },
      work: { invalid_input: 2, timeout: 1, tool_error: 1, tool_failed: 1, ok: 1 },
    });
  });

  test('shows no dependency to the model, and leaves none in history', async () => {
    const { conversation, result, requests: seen } = await run('discreet');
    expect(result.text).toBe('Charged.');
    expect(wordsOf(resultsIn(seen.at(-1))[0] as ToolResultPart)).toContain('24 characters');
    expect(JSON.stringify(seen)).not.toContain(SECRET);
    const { workflow } = await temporalClient();
    const { events } = await workflow.getHandle(conversation.id).fetchHistory();
    const payloads = JSON.stringify(events).replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
    expect(payloads).toContain('24 characters');
    expect(payloads).not.toContain(SECRET);
  });

  test('runs no more calls at once than its agent says', async () => {
    most = 0;
    const { requests: seen } = await run('patient');
    expect(most).toBe(2);
    expect(resultsIn(seen.at(-1)).map(wordsOf)).toEqual(Array(5).fill('slow'));
  });

  test('gives a tool the defaults of what a call leaves out, and the model its value as JSON', async () => {
    const { requests: seen } = await run('terse');
    expect(resultsIn(seen.at(-1)).map(wordsOf)).toEqual([
      '{"n":1,"where":"the margin","kept":true}',
    ]);
  });

  test('asks its policy about one call after another before any runs, and runs none that it denies', async () => {
    log.length = 0;
    const { conversation } = await run('guarded');
    const asked = [0, 1, 2].flatMap((n) => [`ask ${n}`, `told ${n}`]);
    expect(log.slice(0, 6)).toEqual(asked);
    expect(log.slice(6).sort()).toEqual(['run 0', 'run 2']);
    const { calls } = await conversation.record();
    expect(calls.map(({ result }) => result?.outcome)).toEqual(['ok', 'denied', 'ok']);
  });
});
