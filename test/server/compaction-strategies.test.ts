import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ACTIVITIES } from '../../src/core/names.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { type Model, ModelFailure } from '../../src/models/model.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import type { CompactionInfo } from '../../src/tools/compaction-options.ts';
import { type AgentDefinition, defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const PAGES = 40;
const BUDGET = 6_000;

const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'read',
  execute: ({ n }) => `page ${n}: ${'lorem ipsum '.repeat(200)}`,
});

/** What each agent's models were asked. */
const requests = new Map<string, ModelRequest[]>();

function asked(name: string, request: ModelRequest): void {
  requests.set(name, [...(requests.get(name) ?? []), request]);
}

function isSummary(request: ModelRequest): boolean {
  return JSON.stringify(request.messages.at(-1)).includes('Summarise this conversation');
}

/** Reads its pages one after another; `onSummary` plays the completions that are to summarise. */
function reader(
  name: string,
  options: Partial<AgentDefinition> & {
    readonly onSummary?: () => string;
    readonly countTokens?: Model['countTokens'];
    readonly pages?: number;
  },
) {
  const { onSummary = () => `SUMMARY of ${name}`, countTokens, pages = PAGES, ...rest } = options;
  const model = scripted(
    (request, turn) => {
      asked(name, request);
      if (isSummary(request)) return onSummary();
      return turn < pages ? toolCall('read_page', { n: turn }) : 'Read everything.';
    },
    { id: `${name}-model` },
  );
  return defineAgent({
    name,
    model: countTokens === undefined ? model : { ...model, countTokens },
    instructions: 'Read.',
    tools: [readPage],
    contextBudget: BUDGET,
    ...rest,
  });
}

const summaries: string[] = [];
const hookInfos: CompactionInfo[] = [];
let counts = 0;

const agents = [
  reader('own-model', {
    compaction: {
      keepSteps: 1,
      maxOutputTokens: 321,
      instructions: 'Summarise this conversation in one line.',
      model: scripted(
        (request) => {
          asked('summariser', request);
          return 'SHORT SUMMARY';
        },
        {
          id: 'summariser',
          price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
        },
      ),
    },
  }),
  reader('failing', {
    onSummary: () => {
      summaries.push('tried');
      throw new ModelFailure('overloaded', 'too busy to summarise');
    },
  }),
  reader('hooked', {
    onCompact: (info) => {
      hookInfos.push(info);
      return { summary: `${info.messages.length} messages are behind us.`, keepSteps: 2 };
    },
  }),
  reader('cutting', { onCompact: () => 'cut' }),
  reader('broken-hook', {
    onCompact: () => {
      throw new Error('no idea');
    },
  }),
  // The provider counts a tenth of what we estimate: nothing has to be compacted.
  reader('counted', {
    countTokens: (request) => {
      counts += 1;
      return Promise.resolve(Math.round(JSON.stringify(request.messages).length / 32));
    },
  }),
  // Whatever is cut, the first message alone is above the budget.
  reader('hopeless', { contextBudget: 200, pages: 20 }),
];

let pagesOfChat = 0;
const chatty = defineAgent({
  name: 'chatty',
  model: scripted((request) => {
    asked('chatty', request);
    const last = request.messages.at(-1);
    if (last?.role === 'user' && JSON.stringify(last.content).includes('hello')) return 'Hello.';
    pagesOfChat += 1;
    return pagesOfChat <= PAGES ? toolCall('read_page', { n: pagesOfChat }) : 'Read everything.';
  }),
  instructions: 'Read.',
  tools: [readPage],
  contextBudget: BUDGET,
  onCompact: () => ({ summary: 'Pages were read.' }),
});

const served = serveAgents({ agents: [...agents, chatty] });

async function read(name: string, message = 'read all pages') {
  const conversation = await served.client.start(name, { message });
  const result = await conversation.result();
  expect(result.text).toBe('Read everything.');
  const notes = (await conversation.entries()).flatMap(({ entry }) =>
    entry.kind === 'note' ? [`${entry.code}: ${entry.text}`] : [],
  );
  const { events } = await served.client.temporal.workflow
    .getHandle(conversation.id)
    .fetchHistory();
  const compactions = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === ACTIVITIES.compact,
  ).length;
  return { result, notes, compactions, last: lastRequest(name) };
}

function lastRequest(name: string): string {
  const completions = requests.get(name)?.filter((request) => !isSummary(request));
  return JSON.stringify(completions?.at(-1)?.messages);
}

describe('a context above its budget', () => {
  test('is summarised by a model of its own, with its own words, limit, usage and price', async () => {
    const { result, last, notes } = await read('own-model');
    expect(notes).toEqual([]);
    expect(last).toContain('SHORT SUMMARY');
    const [first] = requests.get('summariser') ?? [];
    expect(first).toMatchObject({ maxOutputTokens: 321, toolChoice: 'none' });
    expect(JSON.stringify(first?.messages.at(-1))).toContain('in one line');
    const { usagePerModel, completions } = result.summary;
    expect(usagePerModel['summariser']?.output).toBeGreaterThan(0);
    expect(completions).toBe(PAGES + 1);
    expect(result.cost).toBeGreaterThan(0);
  });

  test('is cut where a summary fails, and the audit says why', async () => {
    const { last, notes, compactions } = await read('failing');
    expect(last).toContain('This older result is shown cut');
    expect(notes).toContainEqual(
      expect.stringContaining('compaction_problem: no summary was made'),
    );
    expect(notes).toContainEqual(expect.stringContaining('too busy to summarise'));
    expect(compactions).toBeLessThan(PAGES / 2);
  });

  test('is shown as the agent’s own strategy says', async () => {
    const { last, compactions } = await read('hooked');
    expect(last).toMatch(/\d+ messages are behind us\./);
    expect(last).toContain('read all pages');
    expect(hookInfos).toHaveLength(compactions);
    expect(hookInfos[0]).toMatchObject({
      agent: 'hooked',
      reason: 'budget',
      budget: BUDGET,
      keepSteps: 3,
    });
    expect(hookInfos[0]?.tokens).toBeGreaterThan(BUDGET);
    expect(requests.get('hooked')?.some(isSummary)).toBe(false);
  });

  test('never hides the message that is being answered', async () => {
    const chat = await served.client.start('chatty', { mode: 'chat', message: 'hello' });
    const text = async () => (await chat.status()).lastTurn?.text;
    await expect.poll(text, { timeout: 20_000 }).toBe('Hello.');
    await chat.send('find the treasure in the book');
    await expect.poll(text, { timeout: 60_000 }).toBe('Read everything.');
    await chat.close();
    await chat.result();
    const turn = (requests.get('chatty') ?? [])
      .slice(1)
      .map(({ messages }) => JSON.stringify(messages));
    expect(turn.filter((messages) => messages.includes('Pages were read.')).length).toBeGreaterThan(
      1,
    );
    for (const messages of turn) expect(messages).toContain('find the treasure in the book');
  });

  test('is only cut where the strategy says so', async () => {
    const { last } = await read('cutting');
    expect(last).toContain('This older result is shown cut');
    expect(requests.get('cutting')?.some(isSummary)).toBe(false);
  });

  test('is treated as without a strategy when the strategy fails', async () => {
    const { last, notes } = await read('broken-hook');
    expect(last).toContain('SUMMARY of broken-hook');
    expect(notes).toContainEqual('compaction_problem: onCompact failed: Error: no idea');
  });

  test('is not shortened when the provider counts less than we estimate', async () => {
    const { last, notes } = await read('counted');
    expect(counts).toBeGreaterThan(0);
    expect(last).not.toContain('shown cut');
    expect(notes).toEqual([]);
  });

  test('that nothing can shorten is tried again only after it has grown', async () => {
    const { notes, compactions } = await read('hopeless', `read all pages. ${'x'.repeat(30_000)}`);
    expect(compactions).toBeGreaterThan(0);
    expect(compactions).toBeLessThan(8);
    expect(notes.filter((note) => note.startsWith('compaction_failed')).length).toBeGreaterThan(0);
  });
});
