import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../../src/core/json.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { call, setting } from './setting.ts';

const open = z.looseObject({});
type Summary = (input: z.output<typeof open>) => string;

async function summaryOf(input: Json, summary?: Summary): Promise<string> {
  const tool = defineTool({
    name: 'send',
    description: 'Sends.',
    inputSchema: open,
    effect: 'once',
    ...(summary === undefined ? {} : { summary }),
    execute: () => null,
  });
  const { plan } = await setting({ tools: [tool] });
  const [planned] = await plan([call('send', input)], { codeLimitMs: 50 });
  return planned?.summary ?? '';
}

describe('the summary of a call', () => {
  it("is the tool's own words, on one line of at most 200 characters", async () => {
    expect(await summaryOf({ to: 'Jo' }, ({ to }) => `sends\n  to ${String(to)}`)).toBe(
      'sends to Jo',
    );
    const long = await summaryOf({}, () => '🙂'.repeat(500));
    expect(long.length).toBeLessThanOrEqual(200);
    expect(long).toMatch(/^(🙂)+…$/u);
  });

  it('is the name and the arguments where the tool has no words', async () => {
    const input = { to: 'Jo', n: 5, list: [1, 2], nested: { a: 1 }, none: null, yes: true };
    expect(await summaryOf(input)).toBe(
      'send(to: "Jo", n: 5, list: [2], nested: {…}, none: null, yes: true)',
    );
    expect((await summaryOf({ body: 'long '.repeat(1_000) })).length).toBeLessThanOrEqual(200);
  });

  it.each<[string, Summary]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['returns no text', () => ({ secret: 1 }) as never],
    ['returns nothing', () => ' '],
    ['never answers', () => new Promise(() => undefined) as never],
  ])('is that as well where the tool %s', async (_, summary) => {
    expect(await summaryOf({ to: 'Jo' }, summary)).toBe('send(to: "Jo")');
  });

  it('cannot be made a lie by needsApproval changing what it was given', async () => {
    const tool = defineTool({
      name: 'send',
      description: 'Sends.',
      inputSchema: { type: 'object', required: ['to'] },
      effect: 'once',
      needsApproval: ({ to }) => {
        Object.assign(to as object, { name: 'somebody else' });
        return true;
      },
      summary: ({ to }) => `sends to ${JSON.stringify(to)}`,
      execute: () => null,
    });
    const { plan } = await setting({ tools: [tool] });
    const [planned] = await plan([call('send', { to: { name: 'Jo' } })]);
    expect(planned).toMatchObject({
      verdict: 'ask',
      summary: 'sends to {"name":"Jo"}',
      input: { to: { name: 'Jo' } },
    });
  });
});
