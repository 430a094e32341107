import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../src/core/model-request.ts';
import type { TextPrompt, TextReply } from '../../src/models/text-protocol/prompt.ts';
import { endMark, markOf, openMark } from '../../src/models/text-protocol/marks.ts';
import { textProtocol } from '../../src/models/text-protocol/text-protocol.ts';
import { buildRequest, complete } from './build-request.ts';

const mark = markOf('conversation-1', '');
const end = endMark(mark);
const LOOK = {
  name: 'look',
  description: 'Looks around.',
  inputSchema: { type: 'object', properties: { where: { type: 'string' } } },
};

function call(name: string, body = '{}'): string {
  return `${openMark(mark, `call ${name}`)}\n${body}\n`;
}

function answer(text: string): string {
  return `${openMark(mark, 'answer')}\n${text}\n${end}`;
}

/** Replies one after another, and what was asked each time. */
function replying(...replies: (string | TextReply)[]) {
  const prompts: TextPrompt[] = [];
  const model = textProtocol((prompt) => {
    prompts.push(prompt);
    const reply = replies.shift();
    return reply === undefined
      ? Promise.reject(new Error('asked once too often'))
      : Promise.resolve(reply);
  });
  return { model, prompts };
}

async function reply(text: string | TextReply, request: Partial<ModelRequest> = {}) {
  const { model } = replying(text);
  return (await complete(model, buildRequest({ tools: [LOOK], ...request }))).completion;
}

describe('instructions', () => {
  test('hold each tool’s heading, description and schema, and both forms of a reply', async () => {
    const { model, prompts } = replying(answer('Yes.'));
    await complete(model, buildRequest({ tools: [LOOK] }));
    const system = prompts[0]?.system ?? '';
    for (const part of [
      'You answer.',
      '## look',
      'Looks around.',
      JSON.stringify(LOOK.inputSchema),
      openMark(mark, 'call first_tool'),
      openMark(mark, 'raw text'),
      openMark(mark, 'answer'),
      end,
    ]) {
      expect(system).toContain(part);
    }
  });

  test('are the same over restarts, and others in another conversation', async () => {
    const systems = [];
    for (const conversationId of ['conversation-1', 'conversation-1', 'conversation-2']) {
      const own = markOf(conversationId, '');
      const { model, prompts } = replying(`[[${own} answer]]\nYes.\n[[${own} end]]`);
      await complete(model, buildRequest({ conversationId, tools: [LOOK] }));
      systems.push(prompts[0]?.system);
    }
    expect(systems[0]).toBe(systems[1]);
    expect(systems[0]).not.toBe(systems[2]);
    expect(markOf('conversation-1', 'pepper')).not.toBe(mark);
  });

  test('say what JSON the final answer must be, and the answer is nothing else', async () => {
    const output = { type: 'object', properties: { total: { type: 'number' } } };
    const { model, prompts } = replying(`Here it is:\n${answer('{"total": 7}')}`);
    const { completion, text } = await complete(model, buildRequest({ tools: [LOOK], output }));
    expect(prompts[0]?.system).toContain(JSON.stringify(output));
    expect(completion.blocks).toEqual([{ type: 'text', text: '{"total": 7}' }]);
    expect(text).toBe('{"total": 7}');
  });
});

describe('replies', () => {
  test('a call with prose around it is a call, with an id of ours', async () => {
    const { stopReason, blocks } = await reply(
      `I look.\n${call('look', '{"where": "up"}')}${end}\nThat should help!`,
    );
    expect(stopReason).toBe('tool_calls');
    expect(blocks).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', id: 'call_1_0', name: 'look', input: { where: 'up' } },
    ]);
  });

  test('several calls keep their order and their ids', async () => {
    const { blocks } = await reply(
      [
        openMark(mark, 'call look id=a'),
        '{"where": "up"}',
        openMark(mark, 'call look id=b'),
        openMark(mark, 'call look id=a'),
        end,
      ].join('\n'),
    );
    expect(blocks).toMatchObject([
      { id: 'a', input: { where: 'up' } },
      { id: 'b', input: {} },
      { id: 'call_1_2', input: {} },
    ]);
  });

  test.each([
    ['a sentence', 'Your order is on its way.'],
    ['a number', '7'],
    ['JSON', '{"total": 7}'],
    ['several lines with a fence', 'Do this:\n\n```sh\nls\n```\n\nThen wait.'],
    ['tags of other formats', 'Write <tool_call>{"name":"x"}</tool_call> and </think>.'],
  ])('an answer may be %s', async (_name, text) => {
    const { stopReason, blocks } = await reply(answer(text));
    expect(stopReason).toBe('end');
    expect(blocks).toEqual([{ type: 'text', text }]);
  });

  test('a long text stands outside the JSON, as it is', async () => {
    const code = 'print("a\\n")\n\n[[not a mark]] {"json": \'no\'} ```\n<think>x</think>\n';
    const { blocks } = await reply(
      `${call('look', '{"where": "up"}')}${openMark(mark, 'raw code')}\n${code}\n${openMark(mark, 'raw note')}\nshort\n${end}`,
    );
    expect(blocks).toMatchObject([{ input: { where: 'up', code, note: 'short' } }]);
  });

  test('a parameter that is given twice is not chosen between', async () => {
    const { blocks } = await reply(
      `${call('look', '{"where": "up"}')}${openMark(mark, 'raw where')}\ndown\n${end}`,
    );
    expect(blocks).toMatchObject([
      { input: {}, malformed: expect.stringContaining('twice') as string },
    ]);
  });

  test('broken arguments spoil their own call, and no other', async () => {
    const { stopReason, blocks } = await reply(
      `${call('look', "{'where': 'up'}")}${call('look', '{"where": "down"}')}${end}`,
    );
    expect(stopReason).toBe('tool_calls');
    expect(blocks).toMatchObject([
      { input: {}, malformed: expect.stringContaining('not valid JSON') as string },
      { input: { where: 'down' } },
    ]);
  });

  test('the end mark that a stop sequence took away is written again', async () => {
    const { raw, blocks } = await reply(call('look', '{"where": "up"}').trimEnd());
    expect(blocks).toMatchObject([{ input: { where: 'up' } }]);
    expect(raw).toMatchObject({ text: `${call('look', '{"where": "up"}')}${end}` });
  });

  test('of two envelopes the first counts, and the second is no part of the reply', async () => {
    const { blocks, raw } = await reply(
      `${call('look', '{"where": "up"}')}${end}\n${call('look', '{"where": "down"}')}${end}`,
    );
    expect(blocks).toMatchObject([{ type: 'tool_call', input: { where: 'up' } }]);
    expect(JSON.stringify(raw)).not.toContain('down');
  });

  test('a result that the model makes up is no part of its reply', async () => {
    const invented = `${openMark(mark, 'result look')}\nall fine\n${answer('Done.')}`;
    const { stopReason, blocks, raw } = await reply(call('look') + invented);
    expect(stopReason).toBe('tool_calls');
    expect(blocks).toMatchObject([{ type: 'tool_call', name: 'look' }]);
    expect(JSON.stringify(raw)).not.toContain('all fine');
  });

  test('a reply that was cut says so, and its last call is not to be run', async () => {
    const cut = await reply({
      text: `${call('look', '{"where": "up"}')}${call('look', '{"where": "down"}')}`,
      stopReason: 'max_tokens',
    });
    expect(cut.stopReason).toBe('max_tokens');
    expect(cut.blocks).toMatchObject([
      { input: { where: 'up' } },
      { input: {}, malformed: expect.stringContaining('cut') as string },
    ]);
  });

  test('without tools too there is one form of an answer', async () => {
    const { model, prompts } = replying(answer('Good day.'));
    const { completion } = await complete(model, buildRequest());
    expect(completion.blocks).toEqual([{ type: 'text', text: 'Good day.' }]);
    expect(prompts[0]?.system).not.toContain('call first_tool');
  });
});
