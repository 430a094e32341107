import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../../src/core/json.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { call, outcomeOf, setting } from './setting.ts';
import { shopTools } from './shop-tools.ts';

describe('a call that cannot run is settled, and runs no code', () => {
  it('of a cut completion: every call of it', async () => {
    const { plan } = await setting({ tools: shopTools });
    for (const stopReason of ['max_tokens', 'context_overflow', 'refused', 'other'] as const) {
      const planned = await plan(
        [call('find_order', { id: 'A-1' }), call('find_order', {}, 'unexpected end')],
        { stopReason },
      );
      expect(planned.map(outcomeOf)).toEqual([
        expect.stringMatching(/^truncated: /),
        expect.stringMatching(/^truncated: /),
      ]);
    }
  });

  it('of an unknown tool: with the nearest name and those that it may use, not the others', async () => {
    const { plan } = await setting({ tools: shopTools });
    const [near, far] = await plan([call('findOrders'), call('launch_rocket')]);
    expect(outcomeOf(near)).toBe(
      'unknown_tool: No tool has the name "findOrders". Did you mean "find_order"? The tools are: find_order, refund.',
    );
    expect(outcomeOf(far)).toBe(
      'unknown_tool: No tool has the name "launch_rocket". The tools are: find_order, refund.',
    );
    expect(far).toMatchObject({ tool: 'launch_rocket', effect: 'read', parallelSafe: true });
  });

  it('of an unknown tool: with a capped list, and a capped name', async () => {
    const many = Array.from({ length: 100 }, (_, n) =>
      defineTool({
        name: `tool_number_${n}`,
        description: 'One of many.',
        inputSchema: z.object({}),
        effect: 'read',
        execute: () => null,
      }),
    );
    const { plan } = await setting({ tools: many });
    const [planned] = await plan([call('z'.repeat(100_000))]);
    expect(outcomeOf(planned)).toContain(', and 60 more.');
    expect(JSON.stringify(planned).length).toBeLessThan(3_000);
  });

  it('without the capabilities that the tool needs', async () => {
    const { plan } = await setting({ tools: shopTools });
    const [planned] = await plan([call('audit_books')], { start: { capabilities: ['finance'] } });
    expect(outcomeOf(planned)).toBe('unavailable: "audit_books" needs the capability "audit".');
    const [held] = await plan([call('audit_books')], {
      start: { capabilities: ['audit', 'finance'] },
    });
    expect(held?.verdict).toBe('run');
  });

  it("with arguments that are no JSON: with the parser's words", async () => {
    const { plan } = await setting({ tools: shopTools });
    const [planned] = await plan([call('find_order', '{"id": ', 'Unexpected end of JSON input')]);
    expect(outcomeOf(planned)).toBe(
      'invalid_input: The arguments are not JSON: Unexpected end of JSON input',
    );
    expect(planned?.input).toBe('{"id": ');
  });

  it("with arguments that do not fit: with all of the schema's words", async () => {
    const { plan } = await setting({ tools: shopTools });
    const [planned] = await plan([call('refund', { idd: 'A-1', cents: '12' })]);
    expect(outcomeOf(planned)).toBe(
      'invalid_input: /id: is required\n/idd: is not known here; did you mean "id"?\n/cents: must be integer, got "12"',
    );
  });

  it("with arguments that only the schema's own code refuses", async () => {
    const between = defineTool({
      name: 'between',
      description: 'Lists a period.',
      inputSchema: z
        .object({ from: z.iso.date(), to: z.iso.date() })
        .refine(({ from, to }) => from <= to, { error: 'must not be after to', path: ['from'] }),
      effect: 'read',
      needsApproval: true,
      execute: () => null,
    });
    const { plan } = await setting({ tools: [between] });
    const [planned] = await plan([call('between', { from: '2026-02-01', to: '2026-01-01' })]);
    expect(outcomeOf(planned)).toBe('invalid_input: /from: must not be after to');
  });

  it('with a number whose digits are lost already: never rounded', async () => {
    const { plan } = await setting({ tools: shopTools });
    const sent = JSON.parse('{"id":"A","lines":9007199254740993}') as Json;
    const [planned] = await plan([call('find_order', sent)]);
    expect(outcomeOf(planned)).toContain(
      'invalid_input: /lines: 9007199254740992 is an integer beyond ±9007199254740991, where digits get lost: send it as a string',
    );
    const open = { type: 'object' } as const;
    const loose = defineTool({
      name: 'loose',
      description: 'Takes anything.',
      inputSchema: open,
      effect: 'read',
      execute: () => null,
    });
    const other = await setting({ tools: [loose] });
    const [deep, infinite] = await other.plan([
      call('loose', JSON.parse('{"a":[{"b":-12345678901234567890}]}') as Json),
      call('loose', JSON.parse('{"a":1e999}') as Json),
    ]);
    expect(outcomeOf(deep)).toContain('invalid_input: /a/0/b: -12345678901234567000 is an integer');
    expect(outcomeOf(infinite)).toBe(
      'invalid_input: /a: Infinity is a number that JSON cannot carry',
    );
    expect(infinite?.input).toEqual({ a: 'Infinity' });
  });

  it('with text or depth that cannot be recorded', async () => {
    const { plan } = await setting({ tools: shopTools });
    const depth = 50_000;
    const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as Json;
    const [half, nested] = await plan([
      call('find_order', { id: '\ud83d' }),
      call('find_order', deep),
    ]);
    expect(outcomeOf(half)).toContain('invalid_input: /id: has half of a surrogate pair');
    expect(outcomeOf(nested)).toContain('is nested deeper than 200 levels');
    expect(() => JSON.stringify(nested)).not.toThrow();
  });

  it('and says no more about thousands of bad calls than one payload holds', async () => {
    const { plan } = await setting({ tools: shopTools });
    const bad = { idd: 'x'.repeat(500), cents: 'y'.repeat(500) };
    const planned = await plan(Array.from({ length: 500 }, () => call('refund', bad)));
    expect(JSON.stringify(planned).length).toBeLessThan(1_500_000);
    expect(planned.every((one) => outcomeOf(one).startsWith('invalid_input: '))).toBe(true);
  });
});
