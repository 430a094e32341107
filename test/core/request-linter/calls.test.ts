import { describe, expect, test } from 'vitest';
import { assistant, call, image, png, result, text, tool, user } from './build-request.ts';
import { linted, mended } from './lint-messages.ts';

const LOST =
  '[outcome_unknown] The attempt was lost before the tool reported.\nIt is not known whether its effect happened; check before you repeat it.';
const lost = (callId: string) => result(callId, { content: [text(LOST)], isError: true });

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
