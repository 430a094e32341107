import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
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

const served = serveAgents({ agents: [reader] });

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
