import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { partsOf } from '../../src/core/content.ts';
import type { ModelRequest, ToolResultPart } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolError, toolOutput } from '../../src/tools/tool.ts';
import { violationsOf } from '../core/request-linter/check-request.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';

const SECRET = 'sk-not-to-be-seen-anywhere';

function nested(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What the tool returns, and the beginning of what the model is to be shown of it. */
const cases: readonly (readonly [returns: () => unknown, shown: string])[] = [
  [() => 'x'.repeat(20_000_000), 'xxx'],
  [() => Buffer.alloc(300_000, 0xfe), '[Binary data of 300000 bytes, not shown.]'],
  [() => 'cut \ud83d', 'cut \ufffd'],
  [() => 'nul \u0000', 'nul \ufffd'],
  [() => '', ''],
  [() => undefined, 'null'],
  [() => nested(100), '{"in":{"in":'],
  [() => cyclic, '[invalid_output]'],
  [() => 'é'.repeat(19_000), 'ééé'],
  [() => ({ id: 12345678901234567890n }), '{"id":"12345678901234567890"}'],
  [() => Promise.reject(new ToolError('no such order')), '[tool_error]'],
  [() => Promise.reject(new Error('boom')), '[tool_failed]'],
  [() => toolOutput('x', { content: [{ type: 'text', text: 'a part' }] }), 'a part'],
];

const odd = defineTool({
  name: 'odd',
  description: 'Returns all sorts of things.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'read',
  execute: ({ n }, ctx: { deps: { apiKey: string } }) => {
    if (!ctx.deps.apiKey.startsWith('sk-')) throw new Error('no key');
    return n < cases.length ? cases[n]?.[0]() : PNG;
  },
});

const requests: ModelRequest[] = [];
const collector = defineAgent({
  name: 'collector',
  model: scripted((request, turn) => {
    requests.push(request);
    return turn <= cases.length ? toolCall('odd', { n: turn }) : 'That was all.';
  }),
  instructions: 'Collect.',
  tools: [odd],
  limits: { maxSteps: 100 },
});

const served = serveAgents({ agents: [collector], deps: { apiKey: SECRET } });

describe('a conversation whose tool returns all sorts of things', () => {
  test('goes on after each, with a valid request, and history stays small', async () => {
    const conversation = await served.client.start('collector', { message: 'collect' });
    expect(await conversation.result()).toMatchObject({ text: 'That was all.' });

    const last = requests.at(-1);
    const results = (last?.messages ?? []).flatMap((message): readonly ToolResultPart[] =>
      message.role === 'tool' ? message.results : [],
    );
    expect(results).toHaveLength(cases.length + 1);
    // In the words of a checker that knows nothing of what mends requests.
    expect(requests.flatMap((request) => violationsOf(request))).toEqual([]);
    for (const [n, [, beginning]] of cases.entries()) {
      const shown = partsOf(results[n]?.content ?? [])
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('');
      if (beginning !== '') expect(shown.startsWith(beginning)).toBe(true);
      expect(shown.length).toBeLessThan(21_000);
      // Lone surrogates and NUL are what model APIs refuse.
      expect(encodeURIComponent(shown)).not.toContain('%00');
    }
    expect(results.at(-1)?.content).toEqual([
      { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') },
    ]);

    // What is kept is fit to be sent as it is, but for the empty text; and that is noted once.
    const { entries, calls } = await conversation.record();
    const notes = entries.filter(({ entry }) => entry.kind === 'note');
    expect(notes.map(({ entry }) => entry)).toEqual([
      expect.objectContaining({ text: expect.stringMatching(/^empty-text at messages\[10\]/) }),
    ]);
    const kept = calls.map(({ result }) => result?.content);
    expect(kept).toContain('cut \ufffd');
    expect(kept).toContain('nul \ufffd');

    const client = await temporalClient();
    const history = await client.workflow.getHandle(conversation.id).fetchHistory();
    const payloads = JSON.stringify(history).matchAll(/"data":"([A-Za-z0-9+/=]+)"/g);
    const text = Array.from(payloads, ([, data = '']) => Buffer.from(data, 'base64')).join('\n');
    expect(text.includes('tool_failed')).toBe(true);
    expect(text.includes(SECRET)).toBe(false);
    expect(text.length).toBeLessThan(150_000);
    expect(JSON.stringify(requests).includes(SECRET)).toBe(false);
  });
});
