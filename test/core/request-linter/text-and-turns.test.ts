import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/model-request.ts';
import { lintRequest } from '../../../src/core/request-linter/lint-request.ts';
import { assistant, call, result, request, text, thought, tool, user } from './build-request.ts';
import { mended } from './lint-messages.ts';

describe('text', () => {
  test('empty text is dropped, and a message or turn that is empty without it', () => {
    const messages = [
      user('', 'x', ' \n'),
      assistant('\n\n', 'y'),
      user(''),
      assistant(''),
      user('z'),
    ];
    expect(mended(messages)).toEqual([
      user('x'),
      { ...assistant('\n\n', 'y'), raw: null, blocks: [text('y')] },
      user('z'),
    ]);
  });

  test('a result that is empty says so', () => {
    const empty = [result('a', { content: [] }), result('b', { content: [text(' ')] })];
    const [, , message] = mended([user('x'), assistant(call('a'), call('b')), tool(...empty)]);
    const words = [text('[The result is empty.]')];
    expect(message).toEqual(tool(result('a', { content: words }), result('b', { content: words })));
  });

  test('NUL and halves of surrogate pairs are replaced everywhere, whole pairs are kept', () => {
    const [first, turn, message] = mended([
      user('a\ud83d b😀'),
      assistant(call('i\0', { input: { 'k\udc00': ['v\0'] } })),
      tool('i\0'),
    ]);
    expect(first).toEqual(user('a\ufffd b😀'));
    expect(turn).toMatchObject({
      raw: null,
      blocks: [{ id: 'i\ufffd', input: { 'k\ufffd': ['v\ufffd'] } }],
    });
    expect(message).toEqual(tool('i\ufffd'));
  });

  test('a raw turn is judged too, not only what is seen of it', () => {
    const turn = { ...assistant('fine'), raw: { hidden: 'bad \ud800' } };
    expect(mended([user('x'), turn, user('y')])[1]).toEqual({ ...turn, raw: null });
  });

  test('instructions and tools are made fit as well', () => {
    const bad: ModelRequest = { ...request([user('x')]), system: 'no \ud800 half' };
    expect(lintRequest(bad)).toMatchObject({ request: { system: 'no \ufffd half' } });
  });

  test('what is nested more deeply than parsers follow is cut', () => {
    let deep: unknown = 'bottom';
    for (let n = 0; n < 20_000; n += 1) deep = [deep];
    const turn = assistant(call('a', { input: { deep } as never }));
    expect(mended([user('x'), turn, tool('a')])[1]).toMatchObject({ raw: null });
  });
});

describe('reasoning', () => {
  test('a turn that must be changed loses its raw form and signed reasoning; open reasoning stays', () => {
    const turn = assistant(thought(true), thought(false), '', 'x');
    expect(mended([user('x'), turn, user('y')])[1]).toEqual({
      ...turn,
      raw: null,
      blocks: [thought(false), text('x')],
    });
  });

  test('signed reasoning goes where the turn is not sent in its raw form, or ends with it', () => {
    const rendered = { ...assistant(thought(), 'x'), raw: null };
    const cut = assistant('y', thought());
    expect(mended([user('a'), rendered, user('b'), cut, user('c')])).toEqual([
      user('a'),
      { ...rendered, blocks: [text('x')] },
      user('b'),
      { ...cut, raw: null, blocks: [text('y')] },
      user('c'),
    ]);
  });

  test('a turn of another format keeps text, calls and open reasoning only', () => {
    const opaque = { type: 'opaque', value: { type: 'search' } } as const;
    const turn = assistant(thought(true), thought(false), 'x', opaque, call('a'));
    const messages = [user('a'), turn, tool('a')];
    expect(mended(messages, { format: 'own' })).toEqual(messages);
    expect(mended(messages, { format: 'another' })[1]).toEqual({
      ...turn,
      raw: null,
      blocks: [thought(false), text('x'), call('a')],
    });
  });
});

describe('order of turns', () => {
  test('the first message is a user’s', () => {
    const turn = assistant('hello');
    expect(mended([turn, user('x')])).toEqual([
      user('[Earlier messages are left out.]'),
      turn,
      user('x'),
    ]);
    expect(mended([])).toEqual([user('[Earlier messages are left out.]')]);
  });

  test('neighbouring user messages are one', () => {
    expect(mended([user('x'), user('y', 'z')])).toEqual([user('x', 'y', 'z')]);
  });

  test('two turns in a row keep their raw forms, with a neutral message between them', () => {
    const [first, second] = [assistant('x'), assistant('y')];
    expect(mended([user('a'), first, second, user('b')])).toEqual([
      user('a'),
      first,
      user('Go on.'),
      second,
      user('b'),
    ]);
  });

  test('the assistant’s turn is never the last message', () => {
    expect(mended([user('a'), assistant('x')])).toEqual([
      user('a'),
      assistant('x'),
      user('Go on.'),
    ]);
  });
});
