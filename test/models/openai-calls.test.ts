import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import { listIn } from './build-request.ts';
import { callsFrom, deltas, piece, run, runConversation } from './openai-conversation.ts';

describe('calls, as compatible servers stream them', () => {
  test('several calls that all have the index 0 are told apart by their ids', async () => {
    expect(
      await callsFrom(
        piece({ index: 0, id: 'a' }, { name: 'look', arguments: '{"n":' }),
        piece({ index: 0, id: 'a' }, { arguments: '1}' }),
        piece({ index: 0, id: 'b' }, { name: 'look', arguments: '{"n":2}' }),
      ),
    ).toMatchObject([
      { id: 'a', input: { n: 1 } },
      { id: 'b', input: { n: 2 } },
    ]);
  });

  test('several calls without ids are told apart by the name that comes again', async () => {
    expect(
      await callsFrom(
        piece({ index: 0 }, { name: 'look', arguments: '{"n":1}' }),
        piece({ index: 0 }, { name: 'look', arguments: '{"n":2}' }),
      ),
    ).toMatchObject([{ input: { n: 1 } }, { input: { n: 2 } }]);
  });

  test('one call whose id and name are sent with every piece is one call', async () => {
    const [first, second] = ['{"n":', '1}'].map((text) =>
      piece({ index: 0, id: 'a' }, { name: 'look', arguments: text }),
    );
    expect(await callsFrom(first ?? {}, second ?? {})).toMatchObject([
      { id: 'a', input: { n: 1 } },
    ]);
  });

  test('calls without an index, and calls that are woven into each other', async () => {
    expect(
      await callsFrom(
        piece({ id: 'a' }, { name: 'look', arguments: '{"n"' }),
        piece({}, { arguments: ':1}' }),
      ),
    ).toMatchObject([{ input: { n: 1 } }]);
    expect(
      await callsFrom(
        piece({ index: 0, id: 'a' }, { name: 'look', arguments: '{"n"' }),
        piece({ index: 1, id: 'b' }, { name: 'hear', arguments: '{"m"' }),
        piece({ index: 0 }, { arguments: ':1}' }),
        piece({ index: 1 }, { arguments: ':2}' }),
      ),
    ).toMatchObject([
      { id: 'a', name: 'look', input: { n: 1 } },
      { id: 'b', name: 'hear', input: { m: 2 } },
    ]);
  });

  test.each([
    ['an object', { n: 1 }, { n: 1 }],
    ['empty text', '', {}],
    ['null', null, {}],
    ['JSON in JSON', '"{\\"n\\": 1}"', { n: 1 }],
    ['a fence', '```json\n{"n": 1}\n```', { n: 1 }],
    ['an end mark after it', '{"n": 1}</tool_call>', { n: 1 }],
    ['a brace inside text', '{"n": "}"} <|im_end|>', { n: '}' }],
  ])('arguments as %s are read', async (_name, sent, input) => {
    const [call] = await callsFrom(piece({ index: 0, id: 'a' }, { name: 'look', arguments: sent }));
    expect(call).toMatchObject({ input });
    expect(call).not.toHaveProperty('malformed');
  });

  test.each([
    ['cut', '{"path": "./build'],
    ['two values', '{}{"n": 1}'],
    ['a list', '[1]'],
    ['bare words', 'look at it'],
    ['single quotes', "{'n': 1}"],
  ])('arguments that are %s are not guessed at', async (_name, sent) => {
    const [call] = await callsFrom(piece({ index: 0, id: 'a' }, { name: 'look', arguments: sent }));
    expect(call).toMatchObject({ input: {}, malformed: expect.any(String) as string });
  });

  test('calls count, whatever the finish reason says', async () => {
    const { completed } = await run(
      deltas([piece({ index: 0, id: 'a' }, { name: 'look', arguments: '{}' })], 'stop'),
    );
    expect(completed[0]?.completion.stopReason).toBe('tool_calls');
  });

  test('a call cut at the token limit is not run, though the server says tool_calls', async () => {
    const cut = [piece({ index: 0, id: 'a' }, { name: 'look', arguments: '{"n": 1' })];
    const { completed } = await run(deltas(cut, 'tool_calls', { completion_tokens: 1_000 }));
    expect(completed[0]?.completion.stopReason).toBe('max_tokens');
  });

  test('ids that are missing, empty or used before become new ones, and are mapped back', async () => {
    const turn = (id: JsonObject) =>
      deltas([piece({ index: 0, ...id }, { name: 'look', arguments: '{}' })]);
    const { completed, bodies } = await runConversation([
      turn({ id: 'call_0' }),
      turn({ id: 'call_0' }),
      turn({ id: '' }),
      turn({}),
      openaiWire.answer({ text: 'Done.' }),
    ]);
    const ids = completed.flatMap(({ completion }) =>
      completion.blocks.map((block) => (block.type === 'tool_call' ? block.id : 'none')),
    );
    expect(ids).toEqual(['call_0', 'call_2_0', 'call_3_0', 'call_4_0', 'none']);
    const sent = listIn(bodies.at(-1), 'messages').flatMap((message) => {
      const calls = listIn(message, 'tool_calls');
      const result = message['tool_call_id'];
      return [...calls.map((call) => call['id']), ...(result === undefined ? [] : [result])];
    });
    // The server's own id goes back to it; each result names the call before it.
    expect(sent).toEqual([
      'call_0',
      'call_0',
      'call_0',
      'call_0',
      'call_3_0',
      'call_3_0',
      'call_4_0',
      'call_4_0',
    ]);
  });
});
