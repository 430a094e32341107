import { describe, expect, test } from 'vitest';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { assistantSaid, buildRequest, complete, toolAnswered, userSays } from './build-request.ts';

const script = [toolCall('find_order', { id: 7 }), 'It is on its way.', 'Goodbye.'];

describe('scripted', () => {
  test('plays the turn that follows the last one in the request', async () => {
    const first = await complete(scripted(script), buildRequest());
    expect(first.completion).toMatchObject({
      stopReason: 'tool_calls',
      blocks: [{ type: 'tool_call', id: 'call_0_0', name: 'find_order', input: { id: 7 } }],
    });
    // A new model value, as after a restart of the process.
    const second = await complete(
      scripted(script),
      buildRequest({
        messages: [
          userSays('Where is order 7?'),
          assistantSaid(first.completion),
          toolAnswered('call_0_0', 'find_order', 'shipped'),
        ],
      }),
    );
    expect(second.completion).toMatchObject({
      stopReason: 'end',
      blocks: [{ type: 'text', text: 'It is on its way.' }],
    });
  });

  test('keeps its place when compaction removed earlier turns from the request', async () => {
    const second = await complete(
      scripted([...script]),
      buildRequest({
        messages: [
          userSays('x'),
          assistantSaid((await complete(scripted(script), buildRequest())).completion),
        ],
      }),
    );
    const third = await complete(
      scripted(script),
      buildRequest({ messages: [userSays('Summary so far'), assistantSaid(second.completion)] }),
    );
    expect(third.text).toBe('Goodbye.');
  });

  test('fails, and says so, when the script has ended', async () => {
    const failure = await complete(scripted([]), buildRequest()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('asks for turn 1') as string,
    });
  });

  test('streams its text in pieces that add up to it, splitting no character', async () => {
    const text = 'Ein längerer Satz mit Zeichen außerhalb der Ebene: 😀😀😀😀😀😀😀😀😀😀😀😀😀.';
    const { text: streamed, events } = await complete(scripted([text]), buildRequest());
    expect(streamed).toBe(text);
    expect(events.length).toBeGreaterThan(3);
    expect(
      events.every(
        (event) => event.type === 'text' && Buffer.from(event.text).toString() === event.text,
      ),
    ).toBe(true);
  });

  test('throws the failures of a turn to its first attempts, then plays it', async () => {
    const overloaded = new ModelFailure('overloaded', 'try later', { retryAfterMs: 5 });
    const model = scripted([{ text: 'Here.', failures: [overloaded, overloaded] }]);
    await expect(complete(model, buildRequest({ attempt: 1 }))).rejects.toBe(overloaded);
    await expect(complete(model, buildRequest({ attempt: 2 }))).rejects.toBe(overloaded);
    expect((await complete(model, buildRequest({ attempt: 3 }))).text).toBe('Here.');
  });

  test('a function sees the request and the number of the turn', async () => {
    const model = scripted((request, turn) => `${turn}: ${request.messages.length}`);
    expect((await complete(model, buildRequest())).text).toBe('0: 1');
  });

  test('ends with a failure of type cancelled when the signal aborts in the middle', async () => {
    const controller = new AbortController();
    const slow = scripted(['one two three four five six seven eight'], { delayMs: 60_000 });
    const running = complete(slow, buildRequest(), controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: 'ModelFailure', type: 'cancelled' });
  });

  test('reads its own raw turns, and never throws on others', async () => {
    const model = scripted([['Looking.', toolCall('find_order', {}, 'mine')]]);
    const { completion } = await complete(model, buildRequest());
    const recorded = JSON.parse(JSON.stringify(completion.raw)) as typeof completion.raw;
    expect(model.view(recorded)).toEqual(completion.blocks);
    expect(model.view('nonsense')).toEqual([]);
  });

  test('estimates usage from characters, says so, and prices it when it has a price', async () => {
    const model = scripted(['Yes.'], { price: { input: 2, output: 10 } });
    const { completion } = await complete(model, buildRequest());
    expect(completion.usage.estimated).toBe(true);
    expect(completion.usage.input).toBeGreaterThan(0);
    expect(model.cost?.(completion.usage)).toBeCloseTo(
      (completion.usage.input * 2 + completion.usage.output * 10) / 1e6,
    );
    expect(scripted([]).cost).toBeUndefined();
  });
});
