import { describe, expect, test } from 'vitest';
import { ToolError, toolOutput } from '../../../src/tools/tool.ts';
import { digestOf } from '../../../src/activities/transcript/digest.ts';
import { resultEntryOf } from '../../../src/core/result-entry.ts';
import type { Json } from '../../../src/core/json.ts';
import { buildTool, Harness, KEY, outputOf } from './harness.ts';

describe('a tool that returns', () => {
  test('settles the call as ok, with its value as JSON text and its effect', async () => {
    const output = await outputOf(() => ({ refunded: 12.5, note: 'é' }));
    expect(output).toMatchObject({
      outcome: 'ok',
      effect: 'happened',
      content: '{"refunded":12.5,"note":"é"}',
      size: 29,
      tokens: 10,
      worker: 'worker-1',
    });
    expect(output).not.toHaveProperty('shownAs');
    expect(output).not.toHaveProperty('original');
  });

  test('has no effect when it only reads', async () => {
    expect(await outputOf(() => 'text', { effect: 'read' })).toMatchObject({
      outcome: 'ok',
      effect: 'none',
      content: 'text',
    });
  });

  test('gives the digest of its entry to history and the entry to the transcript', async () => {
    const harness = new Harness(buildTool(() => 'done'));
    const output = await harness.call();
    const entry = resultEntryOf({ key: KEY, callId: 'call_1', tool: 'refund_order' }, output);
    expect(entry).toMatchObject({ turn: 3, step: 2, index: 1, content: 'done' });
    expect(output.digest).toBe(digestOf(entry as unknown as Json));
    expect(harness.remembered).toEqual([{ activityId: '3.2.1', entry, digest: output.digest }]);
  });

  test('tells watchers when it starts and what it came to', async () => {
    const harness = new Harness(buildTool(() => 'done'));
    await harness.call({ attempt: 2 });
    expect(harness.events).toEqual([
      { type: 'started', key: KEY, tool: 'refund_order', attempt: 2 },
      { type: 'result', key: KEY, tool: 'refund_order', outcome: 'ok', preview: 'done' },
    ]);
  });

  test('may change the shared state beside its value', async () => {
    const stateUpdate = [{ op: 'add', path: '/refunds/-', value: 7 }] as const;
    expect(await outputOf(() => toolOutput('done', { stateUpdate }))).toMatchObject({
      outcome: 'ok',
      content: 'done',
      patch: stateUpdate,
    });
  });

  test.each([
    ['no list', 'x', 'it is not a list'],
    ['an unknown operation', [{ op: 'set', path: '/a', value: 1 }], 'unknown "op": "set"'],
    ['no pointer', [{ op: 'add', path: 'a', value: 1 }], 'no JSON Pointer as its "path": "a"'],
    ['no value', [{ op: 'replace', path: '/a' }], '("replace") has no "value"'],
    ['no from', [{ op: 'move', path: '/a' }], 'no JSON Pointer as its "from"'],
    ['a function', [{ op: 'add', path: '/a', value: () => 1 }], 'a function'],
    ['too much', [{ op: 'add', path: '/a', value: 'x'.repeat(70_000) }], 'more than 64 KiB'],
  ])('whose state update has %s is refused, and its effect is said', async (_, patch, words) => {
    const output = await outputOf(() => toolOutput('paid', { stateUpdate: patch as never }));
    expect(output).toMatchObject({ outcome: 'invalid_output', effect: 'happened' });
    expect(output).not.toHaveProperty('patch');
    expect(output.text).toContain(words);
    expect(output.text).toContain('It returned:\npaid');
    expect(output.text).toContain('do not repeat it');
  });
});

describe('a tool that throws', () => {
  test('a ToolError vouches that nothing happened', async () => {
    const output = await outputOf(() => {
      throw new ToolError('order 7 is not paid');
    });
    expect(output).toMatchObject({ outcome: 'tool_error', effect: 'none' });
    expect(output.text).toBe(
      '[tool_error] The tool reported an error.\norder 7 is not paid\nIt had no effect.',
    );
  });

  test.each(['happened', 'unknown'] as const)('a ToolError can say %s', async (effect) => {
    const output = await outputOf(() => {
      throw new ToolError('no receipt came', { effect });
    });
    expect(output).toMatchObject({ outcome: 'tool_error', effect });
  });

  test('a ToolError of another copy of the package is one all the same', async () => {
    const foreign = Object.assign(new Error('no such order'), {
      name: 'ToolError',
      effect: 'none',
      retryable: false,
    });
    const output = await outputOf(() => Promise.reject(foreign));
    expect(output).toMatchObject({ outcome: 'tool_error', effect: 'none' });
  });

  test.each([
    ['once', 'unknown'],
    ['idempotent', 'unknown'],
    ['read', 'none'],
  ] as const)('anything else leaves the effect of a %s tool %s', async (effect, state) => {
    const output = await outputOf(
      () => {
        throw new TypeError('x is undefined');
      },
      { effect },
    );
    expect(output).toMatchObject({ outcome: 'tool_failed', effect: state });
    expect(output.text).toContain('TypeError: x is undefined');
  });

  test('never shows a stack, not even one that is part of a message', async () => {
    const output = await outputOf(() => {
      const inner = new RangeError('too far');
      const error = new Error(`failed: ${String(inner.stack)}`, { cause: inner });
      throw error;
    });
    expect(output.text).toContain('RangeError: too far');
    expect(output.text).not.toMatch(/\.ts:\d+|\bat \S+ \(/);
  });

  test.each([
    ['thrown as text', (error: Error) => error.stack],
    ['in an object', (error: Error) => ({ code: 7, error: { stack: error.stack } })],
  ])('never shows a stack %s', async (_, thrown) => {
    const output = await outputOf(() => {
      throw thrown(new RangeError('too far'));
    });
    expect(output.text).not.toMatch(/\.ts:\d+|\bat \S+ \(/);
  });

  test('says the causes of what it threw', async () => {
    const output = await outputOf(() => {
      throw new TypeError('fetch failed', { cause: new Error('certificate has expired') });
    });
    expect(output.text).toContain(
      'TypeError: fetch failed (caused by Error: certificate has expired)',
    );
  });

  test.each([
    ['a text', 'boom', 'not an error but the text "boom"'],
    ['nothing', undefined, 'not an error but the value undefined'],
    ['null', null, 'not an error but the value null'],
    ['a number', 42, 'not an error but the value 42'],
    ['a symbol', Symbol('s'), 'not an error but the value Symbol(s)'],
    ['an object', { code: 7 }, 'not an error but the value {"code":7}'],
    ['an error-like object', { message: 'half an error' }, 'Error: half an error'],
    [
      'an object that cannot be read',
      new Proxy({}, { get: () => raise(), has: () => raise() }),
      'an error that cannot be read',
    ],
  ])('%s settles the call all the same', async (_, thrown, words) => {
    const output = await outputOf(() => {
      throw thrown;
    });
    expect(output).toMatchObject({ outcome: 'tool_failed', effect: 'unknown' });
    expect(output.text).toContain(words);
  });

  test('a rejected promise is a throw', async () => {
    const output = await outputOf(() => Promise.reject(new Error('later')));
    expect(output).toMatchObject({ outcome: 'tool_failed', effect: 'unknown' });
  });

  test('a long message is cut, what is known of the effect is not', async () => {
    const harness = new Harness(
      buildTool(() => Promise.reject(new Error('x'.repeat(50_000))), { maxResultChars: 1_000 }),
    );
    const output = await harness.call();
    const shown = await harness.text(output.shownAs);
    expect(shown.length).toBeLessThan(1_500);
    expect(shown).toMatch(/^\[tool_failed\] /);
    expect(shown).toMatch(/check before you repeat it\.$/);
    expect(await harness.text(output.content)).toContain('x'.repeat(50_000));
  });
});

function raise(): never {
  throw new Error('hostile');
}
