import { describe, expect, test } from 'vitest';
import { digestOf, sha256Hex } from '../../src/activities/transcript/digest.ts';
import {
  decodeCompletionToken,
  encodeCompletionToken,
  type CompletionTicket,
} from '../../src/core/completion-token.ts';
import type { Content } from '../../src/core/content.ts';
import { resultEntryOf } from '../../src/core/result-entry.ts';
import { settleLater } from '../../src/core/settle-later.ts';

const ticket: CompletionTicket = {
  taskToken: 'dG9rZW4=',
  conversationId: 'order-7',
  key: 'order-7/3.2.1.k7f',
  callId: 'call_1',
  tool: 'print_label',
  effect: 'once',
  maxResultChars: 100,
  edited: false,
};

describe('a completion token', () => {
  test('comes back as the ticket that it was made of', () => {
    const token = encodeCompletionToken({ ...ticket, conversationId: 'größe / 7' });
    expect(token).toMatch(/^[\x21-\x7e]+$/);
    expect(decodeCompletionToken(token)).toEqual({ ...ticket, conversationId: 'größe / 7' });
  });

  test.each(['', 'dG9rZW4=', 'perdure-call:', 'perdure-call:%7B%7D', 'perdure-call:%zz'])(
    '%j is none, and the error says what was expected',
    (text) => {
      expect(() => decodeCompletionToken(text)).toThrow('expected the completion token');
    },
  );
});

describe('a call that another service completes', () => {
  test('settles as if its tool had returned, with the digest of its entry', async () => {
    const output = await settleLater(ticket, { output: { label: 7 } }, { digestOf });
    expect(output).toMatchObject({ outcome: 'ok', effect: 'happened', content: '{"label":7}' });
    const entry = resultEntryOf(ticket, output);
    expect(output.digest).toBe(digestOf(entry as never));
  });

  test('that only reads has no effect', async () => {
    const output = await settleLater({ ...ticket, effect: 'read' }, { output: 'x' }, { digestOf });
    expect(output).toMatchObject({ outcome: 'ok', effect: 'none' });
  });

  test.each([
    [[null], 'operation 0 is not an object'],
    [{ op: 'add' }, 'it is not a list'],
    [[{ op: 'add', path: '/a', value: 'x'.repeat(70_000) }], 'more than 64 KiB'],
  ])('refuses a change of the shared state that is none', async (stateUpdate, problem) => {
    const answer = { output: 'x', stateUpdate: stateUpdate as never };
    await expect(settleLater(ticket, answer, { digestOf })).rejects.toThrow(problem);
  });

  test('with an error settles as tool_error, with the effect that the service vouches for', async () => {
    const none = await settleLater(ticket, { error: 'out of paper' }, { digestOf });
    expect(none).toMatchObject({ outcome: 'tool_error', effect: 'none' });
    expect(none.content).toBe(
      '[tool_error] The tool reported an error.\nout of paper\nIt had no effect.',
    );
    const unknown = { error: 'jammed', effect: 'unknown' } as const;
    expect(await settleLater(ticket, unknown, { digestOf })).toMatchObject({ effect: 'unknown' });
  });

  test('with an error does not make anybody forget what an attempt before may have done', async () => {
    const again = { ...ticket, effect: 'idempotent', earlier: 'unknown' } as const;
    expect(await settleLater(again, { error: 'jammed' }, { digestOf })).toMatchObject({
      outcome: 'tool_error',
      effect: 'unknown',
    });
  });

  test('without a value is null, as if its tool had returned nothing', async () => {
    const answer = { output: undefined as unknown as null };
    expect(await settleLater(ticket, answer, { digestOf })).toMatchObject({ content: 'null' });
  });

  test('may change the state and give parts', async () => {
    const stateUpdate = [{ op: 'add', path: '/labels', value: 1 }] as const;
    const content = [{ type: 'text', text: 'a\u0000' }] as const;
    const output = await settleLater(ticket, { output: 1, content, stateUpdate }, { digestOf });
    expect(output).toMatchObject({
      patch: stateUpdate,
      content: [{ type: 'text', text: 'a\ufffd' }],
    });
  });

  test('says that a person changed its arguments', async () => {
    const output = await settleLater({ ...ticket, edited: true }, { output: 'x' }, { digestOf });
    expect(output).toMatchObject({ content: 'x' });
    expect(output.shownAs).toContain('A person changed the arguments');
  });

  test('keeps what is too large in the store, and shows the beginning', async () => {
    const kept: Content[] = [];
    const keep = (content: Content) => {
      kept.push(content);
      const text = JSON.stringify(content);
      return Promise.resolve({ blob: sha256Hex(text), size: text.length, preview: '' });
    };
    const text = 'x'.repeat(50_000);
    const output = await settleLater(ticket, { output: text }, { digestOf, keep });
    expect(kept).toEqual([text]);
    expect(output.original).toEqual(output.content);
    expect(output.shownAs).toMatch(/^x{100}\n\[The first 100 of 50000/);
  });

  test('without a store says what was left out, and fits history', async () => {
    const roomy = { ...ticket, maxResultChars: 100_000 };
    const output = await settleLater(roomy, { output: 'x'.repeat(50_000) }, { digestOf });
    expect(output.content).toContain('The whole result (50000 characters) was lost');
    expect(JSON.stringify(output).length).toBeLessThan(34_000);
    const cut = await settleLater(ticket, { output: 'x'.repeat(50_000) }, { digestOf });
    expect(cut.content).toMatch(/^x{100}\n\[The first 100 of 50000/);
    expect(cut).not.toHaveProperty('shownAs');
  });
});
