import { describe, expect, test } from 'vitest';
import { chunk, openaiWire } from '../../src/models/contract/openai-wire.ts';
import { EVENT_STREAM, sse } from '../../src/models/contract/wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import {
  assistantSaid,
  buildRequest,
  complete,
  listIn,
  toolAnswered,
  userSays,
} from './build-request.ts';
import { deltas, piece, run, runConversation, withServer } from './openai-conversation.ts';

describe('turns, as compatible servers stream them', () => {
  test('fields without a name here go back unchanged to the same model, and to no other', async () => {
    const extra = { google: { thought_signature: 'c2ln' } };
    const first = deltas([
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'They ' }] },
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'want it.' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'ZW5j' }] },
      {
        tool_calls: [
          { index: 0, id: 'a', extra_content: extra, function: { name: 'look', arguments: '{}' } },
        ],
      },
    ]);
    const { completed, bodies } = await runConversation([
      first,
      openaiWire.answer({ text: 'Done.' }),
    ]);
    expect(completed[0]?.completion.blocks[0]).toEqual({
      type: 'reasoning',
      text: '',
      signed: true,
    });
    expect(listIn(bodies[1], 'messages')[2]).toMatchObject({
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'They want it.' },
        { type: 'reasoning.encrypted', index: 1, data: 'ZW5j' },
      ],
      tool_calls: [{ id: 'a', extra_content: extra }],
    });
    const turn = completed[0]?.completion;
    if (turn === undefined) throw new Error('no turn');
    const messages = [userSays('Hi'), assistantSaid(turn), toolAnswered('a', 'look', 'seen')];
    const { bodies: others } = await withServer(
      [openaiWire.answer({ text: 'Hi.' })],
      async ({ url }) => {
        const other = openaiCompatible({ model: 'wire-2', baseURL: `${url}/v1` });
        return [await complete(other, buildRequest({ messages }))];
      },
    );
    expect(JSON.stringify(others[0])).not.toMatch(/reasoning_details|extra_content/);
  });

  test('arguments that could not be read go back as an empty object', async () => {
    const { bodies } = await runConversation([
      deltas([piece({ index: 0, id: 'a' }, { name: 'look', arguments: '{"n": ' })]),
      openaiWire.answer({ text: 'Done.' }),
    ]);
    expect(listIn(bodies[1], 'messages')[2]).toMatchObject({
      tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }],
    });
  });

  test('reasoning is streamed as such, and is no part of the text', async () => {
    const { completed } = await run(
      deltas([{ reasoning_content: 'Hm.' }, { content: 'Yes.' }], 'stop'),
    );
    expect(completed[0]?.text).toBe('Yes.');
    expect(completed[0]?.events).toContainEqual({ type: 'reasoning', text: 'Hm.' });
    expect(completed[0]?.completion.blocks).toEqual([
      { type: 'reasoning', text: 'Hm.', signed: false },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  test('content in parts is text', async () => {
    const content = [
      { type: 'thinking', thinking: 'x' },
      { type: 'text', text: 'Yes.' },
    ];
    const { completed } = await run(deltas([{ content }], 'stop'));
    expect(completed[0]?.text).toBe('Yes.');
  });

  test('without usage there is an estimate, marked as one', async () => {
    const { completed } = await run(deltas([{ content: 'Yes.' }], 'stop'));
    expect(completed[0]?.completion.usage).toMatchObject({ estimated: true });
    expect(completed[0]?.completion.usage.input).toBeGreaterThan(0);
  });

  test('a refusal in its own field is a refusal', async () => {
    const { completed } = await run(
      deltas([{ refusal: 'I can’t ' }, { refusal: 'do that.' }], 'stop'),
    );
    expect(completed[0]?.completion).toMatchObject({
      stopReason: 'refused',
      blocks: [{ type: 'text', text: 'I can’t do that.' }],
    });
  });

  test('an error chunk with a status for a code is classified by it', async () => {
    const error = { code: 429, message: 'Provider returned error', metadata: { raw: 'slow down' } };
    const reply = {
      headers: EVENT_STREAM,
      chunks: [chunk({}, { delta: { content: 'So' } }), sse({ error })],
    };
    await expect(run(reply)).rejects.toMatchObject({
      type: 'rate_limited',
      message: expect.stringContaining('slow down') as string,
    });
  });
});
