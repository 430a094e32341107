import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, type ScriptedTurn, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const STEPS = 30;
const requests: ModelRequest[] = [];

const read = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'read',
  execute: ({ n }) => `page ${n}: ${'lorem ipsum '.repeat(300)}`,
});

const reader = defineAgent({
  name: 'reader',
  model: scripted((request) => {
    requests.push(request);
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes('Summarise this conversation')) return 'SUMMARY: pages were read.';
    const pages = requests.filter((r) => !JSON.stringify(r.messages.at(-1)).includes('Summarise'));
    return pages.length <= STEPS ? toolCall('read_page', { n: pages.length }) : 'Read everything.';
  }),
  instructions: 'Read.',
  tools: [read],
  contextBudget: 8_000,
});

/** Characters of messages that a model takes. */
const WINDOW = 20_000;
/** So many that it is full more than once. */
const PAGES = 15;

/** Reads pages, and cannot do with more than its window. */
function narrow(name: string, refuse: () => ScriptedTurn) {
  return defineAgent({
    name,
    model: scripted((request) => {
      const messages = JSON.stringify(request.messages);
      const last = JSON.stringify(request.messages.at(-1));
      if (last.includes('Summarise this conversation')) return 'SUMMARY: pages were read.';
      if (messages.length > WINDOW) return refuse();
      const read = Number([...messages.matchAll(/page (\d+):/g)].at(-1)?.[1] ?? 0);
      return read < PAGES ? toolCall('read_page', { n: read + 1 }) : 'Read everything.';
    }),
    instructions: 'Read.',
    tools: [read],
  });
}

const TOO_MUCH = {
  'a refusal as too long': () => {
    throw new ModelFailure('context_overflow', 'prompt is too long');
  },
  'a refusal as too large': () => {
    throw new ModelFailure('too_large', 'request_too_large');
  },
  'an answer that fills the window': () =>
    ({ text: 'As I', stopReason: 'context_overflow' }) as const,
};
const narrowAgents = Object.values(TOO_MUCH).map((refuse, n) => narrow(`narrow_${n}`, refuse));

const IMAGE = {
  type: 'image',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
} as const;
/** Takes no image, and says so as an API does that has a limit of its own, or cannot read it. */
function shortSighted(name: string, refusal: ModelFailure) {
  return defineAgent({
    name,
    model: scripted((request) => {
      const messages = JSON.stringify(request.messages);
      if (messages.includes(IMAGE.data)) throw refusal;
      return messages.includes('refused the request with it') ? 'I cannot see it.' : 'What image?';
    }),
    instructions: 'Look.',
  });
}
const shortSightedAgents = [
  shortSighted('short_sighted', new ModelFailure('too_large', 'image too large')),
  shortSighted('strict', new ModelFailure('invalid_request', 'Could not process image')),
];

const served = serveAgents({ agents: [reader, ...narrowAgents, ...shortSightedAgents] });

test('a transcript that outgrows the context budget is shown shorter, and stays readable whole', async () => {
  const conversation = await served.client.start('reader', { message: 'read all pages' });
  expect(await conversation.result()).toMatchObject({
    text: 'Read everything.',
    summary: { calls: { read_page: { ok: STEPS } } },
  });
  const sizes = requests.map((request) => JSON.stringify(request.messages).length);
  expect(Math.max(...sizes)).toBeLessThan(45_000);
  const last = JSON.stringify(requests.at(-1)?.messages);
  expect(last).toContain('read all pages');
  expect(last).toContain('SUMMARY: pages were read.');
  const entries = await conversation.entries();
  expect(entries.filter(({ header }) => header.kind === 'result')).toHaveLength(STEPS);
});

test.each(Object.keys(TOO_MUCH).map((what, n) => [what, n] as const))(
  'after %s the transcript is shown shorter, as often as it takes, and the turn goes on',
  async (_what, n) => {
    const conversation = await served.client.start(`narrow_${n}`, { message: 'read all pages' });
    expect(await conversation.result()).toMatchObject({
      stopReason: 'answered',
      text: 'Read everything.',
      summary: { calls: { read_page: { ok: PAGES } } },
    });
  },
);

test.each([
  ['too large', 'short_sighted'],
  ['not valid', 'strict'],
])('an image that is %s for the service does not end the conversation', async (_, agent) => {
  const conversation = await served.client.start(agent, {
    mode: 'chat',
    message: [{ type: 'text', text: 'What is this?' }, IMAGE],
  });
  for (const turn of [1, 2]) {
    await expect
      .poll(async () => (await conversation.status()).lastTurn, { timeout: 20_000 })
      .toMatchObject({ turn, stopReason: 'answered', text: 'I cannot see it.' });
    if (turn === 1) await conversation.send('And now?');
  }
  await conversation.close();
});
