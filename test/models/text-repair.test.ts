import { describe, expect, test } from 'vitest';
import { ModelFailure } from '../../src/models/model.ts';
import { endMark, markOf, openMark } from '../../src/models/text-protocol/marks.ts';
import type { TextComplete, TextPrompt } from '../../src/models/text-protocol/prompt.ts';
import { textProtocol } from '../../src/models/text-protocol/text-protocol.ts';
import { buildRequest, complete } from './build-request.ts';

const mark = markOf('conversation-1', '');
const end = endMark(mark);
const good = `${openMark(mark, 'answer')}\nAll is well.\n${end}`;
const request = buildRequest({
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
});
const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 };

function replying(...replies: string[]) {
  const prompts: TextPrompt[] = [];
  const model = textProtocol((prompt) => {
    prompts.push({ ...prompt, messages: [...prompt.messages] });
    return Promise.resolve({ text: replies[prompts.length - 1] ?? 'no more', usage });
  });
  return { model, prompts };
}

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ['plain prose', 'I think your order is fine.', /neither a call nor an answer/],
  ['nothing', '', /neither a call nor an answer/],
  ['bare JSON', '{"name": "look", "args": {}}', /another form/],
  ['a fence', '```json\n{"name": "look", "arguments": {}}\n```', /another form/],
  ['another format', '<tool_call>{"name": "look"}</tool_call>', /another form/],
  [
    'another word in the marks',
    '[[deadbeef00 call look]]\n{}\n[[deadbeef00 end]]',
    /do not carry the word/,
  ],
  [
    'an unknown kind of mark',
    `${openMark(mark, 'invoke look')}\n{}\n${end}`,
    /expected call, raw, answer or end/,
  ],
  ['a call without a name', `${openMark(mark, 'call')}\n{}\n${end}`, /has no name/],
  ['a call with an id for a name', `${openMark(mark, 'call id=1')}\n{}\n${end}`, /has no name/],
  ['a raw text without a call', `${openMark(mark, 'raw text')}\nx\n${end}`, /before any call/],
  ['an empty envelope', end, /empty/],
  ['an empty answer', `${openMark(mark, 'answer')}\n\n${end}`, /answer is empty/],
  [
    'an answer and calls',
    `${openMark(mark, 'answer')}\nI refund it now.\n${openMark(mark, 'call look')}\n{}\n${end}`,
    /calls and an answer are in one reply/,
  ],
  [
    'calls and an answer',
    `${openMark(mark, 'call look')}\n{}\n${openMark(mark, 'answer')}\nDone.\n${end}`,
    /calls and an answer are in one reply/,
  ],
  ['marks in the reasoning only', `<think>${good}</think>`, /inside the reasoning/],
  ['reasoning that never ends', `<think>Hm. ${good}`, /inside the reasoning/],
];

describe('broken replies', () => {
  test.each(BROKEN)('%s is answered with what mends it', async (_name, broken, problem) => {
    const { model, prompts } = replying(broken, good);
    const { completion, text } = await complete(model, request);
    expect(completion).toMatchObject({
      stopReason: 'end',
      blocks: [{ type: 'text', text: 'All is well.' }],
      usage: { input: 20, output: 10 },
      raw: { repairs: [expect.stringMatching(problem) as string] },
    });
    expect(text).toBe('All is well.');
    const [said, repair] = prompts[1]?.messages.slice(-2) ?? [];
    expect(said).toEqual({ role: 'assistant', text: broken === '' ? '(nothing)' : broken });
    expect(repair?.text).toMatch(problem);
    for (const form of ['call first_tool', 'answer', 'end']) {
      expect(repair?.text).toContain(openMark(mark, form));
    }
  });

  test('three in a row end the turn as unparseable, after exactly three questions', async () => {
    const { model, prompts } = replying('one', 'two', 'three', good);
    const { completion, text } = await complete(model, request);
    expect(completion).toMatchObject({
      stopReason: 'unparseable',
      usage: { input: 30, output: 15 },
      blocks: [{ type: 'text', text: 'three' }],
    });
    expect(prompts).toHaveLength(3);
    expect(text).toBe('');
  });

  test('how many is an option', async () => {
    const { prompts } = replying();
    const model = textProtocol(
      (prompt) => {
        prompts.push(prompt);
        return Promise.resolve('prose');
      },
      { maxBrokenReplies: 1 },
    );
    expect((await complete(model, request)).completion.stopReason).toBe('unparseable');
    expect(prompts).toHaveLength(1);
  });

  test('a failure after a broken reply tells what both used', async () => {
    let asked = 0;
    const model = textProtocol(() => {
      asked += 1;
      return asked === 1
        ? Promise.resolve({ text: 'prose', usage })
        : Promise.reject(new ModelFailure('overloaded', 'busy', { usage, retryAfterMs: 7 }));
    });
    await expect(complete(model, request)).rejects.toMatchObject({
      type: 'overloaded',
      retryAfterMs: 7,
      usage: { input: 20, output: 10 },
    });
  });
});

describe('a text function', () => {
  const streaming =
    (pieces: readonly string[]): TextComplete =>
    (_prompt, { onText }) => {
      for (const piece of pieces) onText(piece);
      return Promise.resolve(pieces.join(''));
    };

  test.each([1, 2, 3, 5, 11, 1_000])(
    'streams its answer and nothing else, in pieces of %i',
    async (size) => {
      const answer = 'Zeile eins\n\nZeile [[zwei]] 😀 [\n';
      const whole = `<think>[[${mark} answer]] no</think>Gern:\n${openMark(mark, 'answer')}\n${answer}\n${end} and more`;
      const pieces = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
      const { text, completion } = await complete(textProtocol(streaming(pieces)), request);
      expect(text).toBe(`Gern:\n\n${answer}`);
      expect(completion.blocks.at(-1)).toEqual({ type: 'text', text });
    },
  );

  test('streams the prose before its calls once they turned out to be calls', async () => {
    const pieces = ['I lo', 'ok.\n', `${openMark(mark, 'call look')}\n{"a":`, ` 1}\n${end}`];
    const { text } = await complete(textProtocol(streaming(pieces)), request);
    expect(text).toBe('I look.');
  });

  test('gives an answer that it does not stream in one piece', async () => {
    const { text, events } = await complete(
      textProtocol(() => Promise.resolve(good)),
      request,
    );
    expect(text).toBe('All is well.');
    expect(events.filter((event) => event.type === 'text')).toHaveLength(1);
  });

  test('is told where it may stop, and how much it may write', async () => {
    let told: unknown;
    const model = textProtocol((_prompt, { stop, maxOutputTokens, modelOptions }) => {
      told = { stop, maxOutputTokens, modelOptions };
      return Promise.resolve(good);
    });
    await complete(model, { ...request, options: { temperature: 0 } });
    expect(told).toEqual({
      stop: [end, `[[${mark} result`],
      maxOutputTokens: 1_000,
      modelOptions: { temperature: 0 },
    });
  });

  test('that ignores its signal is left behind when the turn is stopped', async () => {
    const controller = new AbortController();
    const never = textProtocol(() => {
      controller.abort();
      return new Promise(() => undefined);
    });
    await expect(complete(never, request, controller.signal)).rejects.toMatchObject({
      type: 'cancelled',
    });
  });

  test('that is silent for too long is stalled; one that throws has failed', async () => {
    const silent = textProtocol(() => new Promise(() => undefined), {
      idleTimeoutMs: 50,
      keepAliveTimeoutMs: 50,
    });
    await expect(complete(silent, request)).rejects.toMatchObject({ type: 'stalled' });
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const broken = textProtocol(() => Promise.reject(reset));
    await expect(complete(broken, request)).rejects.toMatchObject({ type: 'connection' });
    const throwing = textProtocol(() => {
      throw new Error('odd');
    });
    await expect(complete(throwing, request)).rejects.toMatchObject({
      type: 'bad_response',
      message: expect.stringContaining('odd') as string,
    });
  });

  test('estimates its usage, and has a cost when it has a price', async () => {
    const model = textProtocol(() => Promise.resolve(good), { price: { input: 1, output: 1 } });
    const { completion } = await complete(model, request);
    expect(completion.usage).toMatchObject({ estimated: true });
    expect(model.cost?.(completion.usage)).toBeGreaterThan(0);
  });
});
