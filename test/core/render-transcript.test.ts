import { describe, expect, test } from 'vitest';
import type { AssistantEntry, Entry, ResultEntry } from '../../src/core/entry.ts';
import type { Json } from '../../src/core/json.ts';
import type { Block } from '../../src/core/model-request.ts';
import { renderTranscript } from '../../src/core/render-transcript.ts';

const at = '2026-01-01T00:00:00.000Z';
const placed = { turn: 1, step: 1 };

const user = (text: string): Entry => ({ kind: 'user', id: text, content: text, at, ...placed });

/** The test's own format keeps the blocks themselves as the raw turn. */
const assistant = (...blocks: Block[]): AssistantEntry => ({
  kind: 'assistant',
  format: 'test',
  model: 'test-1',
  raw: blocks as unknown as Json,
  ...placed,
});
const blocksOf = (entry: AssistantEntry) => entry.raw as unknown as readonly Block[];

const text = (words: string) => ({ type: 'text', text: words }) as const;
const call = (id: string): Block => ({ type: 'tool_call', id, name: 'look', input: {} });
const reasoning = (signed: boolean): Block => ({ type: 'reasoning', text: 'hm', signed });

const result = (callId: string, more: Partial<ResultEntry> = {}): Entry => ({
  kind: 'result',
  index: 0,
  key: `c/1.1.0.${callId}`,
  callId,
  tool: 'look',
  outcome: 'ok',
  effect: 'none',
  content: `result of ${callId}`,
  ...placed,
  ...more,
});

const note = (shown: boolean): Entry => ({
  kind: 'note',
  code: 'fallback',
  text: 'a note',
  shown,
  at,
  ...placed,
});

const summary: Entry = { kind: 'summary', content: 'old', upTo: 2, ...placed };

const render = (entries: readonly Entry[], view?: Parameters<typeof renderTranscript>[1]) =>
  renderTranscript(entries, view, blocksOf);

test('the same entries give the very same messages, so that each is linted once', () => {
  const entries = [user('hello'), assistant(text('I look'), call('a')), result('a'), user('and?')];
  const before = render(entries);
  const after = render([...entries, assistant(text('done')), user('thanks')]);
  expect(before).toHaveLength(4);
  before.forEach((message, n) => expect(after[n]).toBe(message));
  const said = render([...entries, user('more')]).at(-1);
  expect(said).toEqual({ role: 'user', content: [text('and?'), text('more')] });
});

describe('a transcript without a view', () => {
  test('becomes messages; the results of a turn become one tool message after it, in their order', () => {
    const turn = assistant(text('I look'), call('a'), call('b'));
    expect(
      render([user('hello'), turn, result('a'), result('b'), assistant(text('done'))]),
    ).toEqual([
      { role: 'user', content: [text('hello')] },
      { role: 'assistant', format: 'test', model: 'test-1', raw: turn.raw, blocks: turn.raw },
      {
        role: 'tool',
        results: [
          { callId: 'a', tool: 'look', content: [text('result of a')], isError: false },
          { callId: 'b', tool: 'look', content: [text('result of b')], isError: false },
        ],
      },
      {
        role: 'assistant',
        format: 'test',
        model: 'test-1',
        raw: [text('done')],
        blocks: [text('done')],
      },
    ]);
  });

  test('keeps the very raw turn that was recorded', () => {
    const turn = assistant(reasoning(true), text('x'));
    const [, message] = render([user('a'), turn]);
    expect(message).toHaveProperty('raw', turn.raw);
    expect((message as { raw: unknown }).raw).toBe(turn.raw);
  });

  test('puts what users said between results behind them, in one message', () => {
    const messages = render([
      user('a'),
      assistant(call('a'), call('b')),
      result('a'),
      user('one more thing'),
      result('b'),
      user('and another'),
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messages[3]).toEqual({
      role: 'user',
      content: [text('one more thing'), text('and another')],
    });
  });

  test('shows a result as it is to be shown, and every outcome but ok as an error', () => {
    const [, , message] = render([
      user('a'),
      assistant(call('a'), call('b')),
      result('a', { shownAs: 'shorter' }),
      result('b', { outcome: 'outcome_unknown' }),
    ]);
    expect(message).toMatchObject({
      results: [
        { content: [text('shorter')], isError: false },
        { content: [text('result of b')], isError: true },
      ],
    });
  });

  test('shows notes that are to be shown, and no summaries', () => {
    expect(render([user('a'), note(true), note(false), summary])).toEqual([
      { role: 'user', content: [text('a'), text('a note')] },
    ]);
  });

  test('names what could not be loaded, and what it began with', () => {
    const blob = { blob: 'f00d', size: 70_000, preview: 'It was a dark' };
    const messages = render([
      user('a'),
      { ...assistant(), raw: blob },
      result('a', { content: blob }),
    ]);
    const lost = text(
      '[This content (70000 bytes, blob f00d) could not be loaded. It began: It was a dark]',
    );
    expect(messages[1]).toMatchObject({ raw: null, blocks: [lost] });
    expect(messages[2]).toMatchObject({ results: [{ content: [lost] }] });
  });
});

describe('under a view', () => {
  const long = 'word '.repeat(200);
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  const entries = [
    user('task'),
    assistant(reasoning(true), call('a')),
    result('a', { content: long }),
    assistant(reasoning(false), call('b')),
    result('b', { content: [text('see'), image] }),
    assistant(call('c')),
    result('c', { content: long }),
  ];

  test('results before the cut are shown by their beginning, later ones whole', () => {
    const messages = render(entries, { cutBefore: 5 });
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    const shown = results.map(({ content }) => content);
    expect(shown[0]).toEqual([
      text(expect.stringMatching(/^word word .*\n\[.* 800 more/s) as string),
    ]);
    expect(shown[1]).toEqual([
      text(
        'see\n[image image/png]\n[This older result is shown without its images and documents.]',
      ),
    ]);
    expect(shown[2]).toEqual([text(long)]);
  });

  test('short results are the same before and after a cut', () => {
    const short = [user('task'), assistant(call('a')), result('a')];
    expect(render(short, { cutBefore: 3 })).toEqual(render(short));
  });

  test('the summary stands for what is before it; the first user message stays', () => {
    const messages = render(entries, { cutBefore: 0, summary: { content: 'so far', upTo: 5 } });
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          text('task'),
          text('[Earlier messages are left out. This summary stands in their place:]'),
          text('so far'),
        ],
      },
      ...render(entries).slice(-2),
    ]);
  });

  test('a summary of everything ends the request', () => {
    const messages = render(entries, { cutBefore: 0, summary: { content: 'all', upTo: 7 } });
    expect(messages.map(({ role }) => role)).toEqual(['user']);
  });

  test('turns from before the view lose signed reasoning, and with it their raw form; later ones keep both', () => {
    const later = assistant(reasoning(true), text('later'));
    const messages = render([...entries, later], { cutBefore: 3, since: 7 });
    const turns = messages.filter((message) => message.role === 'assistant');
    expect(turns.map(({ raw }) => raw)).toEqual(
      [null, entries[3], entries[5], later].map((entry) => entry && (entry as AssistantEntry).raw),
    );
    expect(turns[0]?.blocks).toEqual([call('a')]);
    expect(turns[1]?.blocks).toEqual([reasoning(false), call('b')]);
  });
});
