import { describe, expect, test } from 'vitest';
import type { Part } from '../../../src/core/content.ts';
import type { ModelRequest, RequestMessage } from '../../../src/core/model-request.ts';
import { lintRequest } from '../../../src/core/request-linter/lint-request.ts';
import {
  assistant,
  call,
  image,
  png,
  request,
  result,
  text,
  thought,
  tool,
  user,
} from './build-request.ts';

function linted(messages: readonly RequestMessage[], options = {}) {
  const answer = lintRequest(request(messages), options);
  if ('problem' in answer) throw new Error(answer.problem.message);
  return { messages: answer.request.messages, rules: answer.repairs.map(({ rule }) => rule) };
}

const mended = (messages: readonly RequestMessage[], options = {}) =>
  linted(messages, options).messages;

const LOST =
  '[outcome_unknown] The attempt was lost before the tool reported.\nIt is not known whether its effect happened; check before you repeat it.';
const lost = (callId: string) => result(callId, { content: [text(LOST)], isError: true });

test('a valid request comes back as the very same object, with nothing to report', () => {
  const valid = request([
    user('hello', image(png())),
    assistant(thought(), 'I look', call('a'), call('b')),
    tool('a', result('b', { isError: true })),
    assistant(thought(), 'Done'),
    user('thanks'),
  ]);
  expect(lintRequest(valid)).toEqual({ request: valid, repairs: [] });
  expect((lintRequest(valid) as { request: unknown }).request).toBe(valid);
});

describe('calls and results', () => {
  test('a call without a result gets one that says that its outcome is unknown', () => {
    const turn = assistant(call('a'), call('b'));
    expect(linted([user('x'), turn, tool('a')])).toEqual({
      messages: [user('x'), turn, tool(result('a'), lost('b'))],
      rules: ['pair-results', 'pair-results'],
    });
    expect(mended([user('x'), turn])).toEqual([user('x'), turn, tool(lost('a'), lost('b'))]);
  });

  test('a result without a call is dropped', () => {
    const turn = assistant(call('a'));
    expect(mended([user('x'), tool('z'), turn, tool('a', 'z')])).toEqual([
      user('x'),
      turn,
      tool('a'),
    ]);
  });

  test('results are put into one message directly after their turn, in call order', () => {
    const turn = assistant(call('a'), call('b'));
    expect(mended([user('x'), turn, tool('b'), user('wait'), tool('a')])).toEqual([
      user('x'),
      turn,
      tool('a', 'b'),
      user('wait'),
    ]);
  });

  test('a result that came after later turns goes back to its call', () => {
    const [first, second] = [assistant(call('a')), assistant(call('b'))];
    expect(mended([user('x'), first, user('y'), second, tool('b', 'a')])).toEqual([
      user('x'),
      first,
      tool('a'),
      user('y'),
      second,
      tool('b'),
    ]);
  });

  test('only the first of two results of one call is kept', () => {
    const twice = tool('a', result('a', { content: [text('again')] }));
    expect(mended([user('x'), assistant(call('a')), twice])).toEqual([
      user('x'),
      assistant(call('a')),
      tool('a'),
    ]);
  });

  test('ids that repeat are replaced in calls and results alike, the first one keeps its own', () => {
    const doubled = assistant(call('a'), call('a'));
    const first = tool(
      result('a', { content: [text('one')] }),
      result('a', { content: [text('two')] }),
    );
    const later = assistant(call('a'));
    expect(mended([user('x'), doubled, first, later, tool('a')])).toEqual([
      user('x'),
      { ...doubled, raw: null, blocks: [call('a'), call('a_2')] },
      tool(result('a', { content: [text('one')] }), result('a_2', { content: [text('two')] })),
      { ...later, raw: null, blocks: [call('a_3')] },
      tool(result('a_3', { content: [text('result of a')] })),
    ]);
  });

  test('an empty id is replaced', () => {
    const messages = mended([user('x'), assistant(call('')), tool('')]);
    expect(messages[1]).toMatchObject({ raw: null, blocks: [{ id: 'call' }] });
    expect(messages[2]).toMatchObject({ results: [{ callId: 'call' }] });
  });

  test('arguments that are no object become an empty one, and the call says why', () => {
    for (const input of ['{"a":', null, [1], 3]) {
      const [, turn] = mended([user('x'), assistant(call('a', { input })), tool('a')]);
      expect(turn).toMatchObject({
        raw: null,
        blocks: [{ input: {}, malformed: 'the arguments were not a JSON object' }],
      });
    }
  });

  test('a name that no API takes is replaced, in the result too', () => {
    const name = 'functions.look up';
    const messages = mended([
      user('x'),
      assistant(call('a', { name })),
      tool(result('a', { tool: name })),
    ]);
    expect(messages[1]).toMatchObject({ raw: null, blocks: [{ name: 'functions_look_up' }] });
    expect(messages[2]).toMatchObject({ results: [{ tool: 'functions_look_up' }] });
  });

  test('an error result holds text only: its images follow in a user message', () => {
    const failed = result('a', { content: [text('no'), image(png())], isError: true });
    expect(mended([user('x'), assistant(call('a')), tool(failed), user('so?')])).toEqual([
      user('x'),
      assistant(call('a')),
      tool(result('a', { content: [text('no')], isError: true })),
      user('[From the failed call of look:]', image(png()), 'so?'),
    ]);
  });
});

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

describe('images and documents', () => {
  const shown = (part: Part, options = {}) => {
    const [first] = mended([user('x', part)], options);
    return first?.role === 'user' ? first.content[1] : undefined;
  };

  test('the media type follows the bytes', () => {
    const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex').toString('base64');
    expect(shown(image(png(), 'image/jpeg'))).toEqual(image(png(), 'image/png'));
    expect(shown(image(jpeg, 'image/jpg'))).toEqual(image(jpeg, 'image/jpeg'));
  });

  test.each([
    ['no bytes', image(''), 'it has no bytes'],
    ['other bytes', image('aGVsbG8='), 'its bytes are not those of such an image'],
    ['no base64', image('%%%'), 'its bytes are not in base64'],
    [
      'a blob that was not loaded',
      { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', blob: 'f00d' } as const,
      'blob f00d was not loaded',
    ],
    ['too many pixels', image(png(9_000, 10)), 'it is too large (9000 pixels, at most 8000 here)'],
  ])('words stand for one with %s', (_, part, why) => {
    const replaced = shown(part);
    expect(replaced).toMatchObject({ type: 'text', text: expect.stringContaining(why) });
  });

  test('base64 of another style is made standard', () => {
    const data = png();
    expect(shown(image(`data:image/png;base64,${data}`))).toEqual(image(data));
    const urlStyle = data.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    expect(shown(image(`${urlStyle.slice(0, 20)}\n${urlStyle.slice(20)}`))).toEqual(image(data));
  });

  test('one that is too many bytes is replaced', () => {
    expect(shown(image(png()), { limits: { imageCharacters: 10 } })).toMatchObject({
      text: expect.stringContaining('at most 10'),
    });
  });

  test('of too many images the oldest go', () => {
    const messages = mended([user(image(png()), image(png()), image(png()))], {
      limits: { images: 2 },
    });
    const [first] = messages;
    const types = first?.role === 'user' ? first.content.map(({ type }) => type) : [];
    expect(types).toEqual(['text', 'image', 'image']);
  });

  test('many images must each be smaller', () => {
    const large = image(png(3_000, 3_000));
    const limits = { manyImages: 2 };
    expect(mended([user(large, large)], { limits })).toEqual([user(large, large)]);
    const [first] = mended([user(large, image(png()), image(png()))], { limits });
    const types = first?.role === 'user' ? first.content.map(({ type }) => type) : [];
    expect(types).toEqual(['text', 'image', 'image']);
  });
});

describe('what cannot be mended is a problem', () => {
  const problemOf = (value: ModelRequest, options = {}) => lintRequest(value, options);

  test('a request that is too large, by its bytes, naming the largest message', () => {
    const large = request([user('x'), assistant('y'), user('ü'.repeat(2_000))]);
    expect(problemOf(large, { limits: { bodyBytes: 4_000 } })).toMatchObject({
      problem: { type: 'too_large', at: 'messages[2]' },
    });
    expect(problemOf(large, { limits: { bodyBytes: 6_000 } })).toMatchObject({ repairs: [] });
  });

  test('a request with too many messages', () => {
    const many = request([user('x'), assistant('y'), user('z')]);
    expect(problemOf(many, { limits: { messages: 2 } })).toMatchObject({
      problem: { type: 'too_large', at: 'messages' },
    });
  });

  test.each([
    [{ name: 'a.b' }, 'expected a name'],
    [{ name: 'look' }, 'another tool named "look"'],
    [{ inputSchema: { type: 'array' } }, '"type": "object"'],
    [{ inputSchema: { type: 'object', oneOf: [] } }, 'no "oneOf" at the root'],
  ])('a tool that no API takes: %j', (wrong, words) => {
    const valid = request([user('x')]);
    const added = { name: 'other', description: 'd', inputSchema: { type: 'object' }, ...wrong };
    expect(problemOf({ ...valid, tools: [...valid.tools, added] })).toMatchObject({
      problem: { type: 'invalid_tools', at: 'tools[1]', message: expect.stringContaining(words) },
    });
  });
});
