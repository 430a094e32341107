import assert from 'node:assert/strict';
import type { ModelContract } from './model-contract.ts';
import type { WireReply } from './model-server.ts';
import { play, type Played, SHORT } from './play.ts';

/** Streams that do not come to a proper end are failures, never answers. */
export function streamContract(contract: ModelContract): void {
  const { test, wire } = contract;
  const turn = { text: ['Half of ', 'a sentence'] };

  const fails = (name: string, reply: () => WireReply, type: string): void => {
    const limits = type === 'stalled' ? { limits: SHORT } : {};
    test(`${name}: ${type}`, async () => {
      expectFailure(await play(contract, reply(), limits), type);
    });
  };

  fails('a stream without its last event', () => wire.cut(turn), 'connection');
  fails('a connection that is reset', () => ({ ...wire.cut(turn), end: 'reset' }), 'connection');
  fails(
    'silence after the headers',
    () => ({ ...wire.answer({}), chunks: [], end: 'hang' }),
    'stalled',
  );
  fails('silence in the middle', () => ({ ...wire.cut(turn), end: 'hang' }), 'stalled');
  fails('no answer at all', () => ({ chunks: [], mute: true }), 'stalled');
  fails('nothing but keep-alives', () => wire.keepAlive(), 'stalled');
  fails('an answer with nothing in it', () => wire.answer({ text: [] }), 'bad_response');
  fails('an empty body', () => ({ ...wire.answer({}), chunks: [] }), 'connection');
  fails(
    'a web page in place of a stream',
    () => ({
      headers: { 'content-type': 'text/html' },
      chunks: [Buffer.from('<html>Sign in</html>')],
    }),
    'bad_response',
  );
  fails('an error inside the stream', () => wire.errorInStream('overloaded'), 'overloaded');
  fails('an error as the body of a 200', () => wire.errorBody('overloaded'), 'overloaded');
  fails(
    'an event that is no JSON',
    () => {
      const whole = wire.answer(turn);
      const [first = Buffer.alloc(0), ...rest] = whole.chunks;
      const text = Buffer.from(first).toString('utf8').replace('{', '{{');
      return { ...whole, chunks: [Buffer.from(text), ...rest] };
    },
    'bad_response',
  );

  test('a slow stream that goes on is not stalled', async () => {
    const { completion } = await play(contract, { ...wire.answer(turn), pauseMs: 60 });
    assert.equal(completion?.stopReason, 'end');
  });

  test('what was streamed before a failure reached the watchers', async () => {
    const { text, failure } = await play(contract, wire.cut(turn));
    assert.equal(text, 'Half of a sentence');
    assert.ok(failure);
  });

  test('a connection that the service keeps open after the end does not hold the turn', async () => {
    const limits = { idleTimeoutMs: 120_000, keepAliveTimeoutMs: 120_000 };
    const { completion } = await play(contract, { ...wire.answer(turn), end: 'hang' }, { limits });
    assert.equal(completion?.stopReason, 'end');
  });

  test('each piece that arrives shows that the stream lives', async () => {
    const { events } = await play(contract, wire.answer(turn));
    assert.ok(events.some((event) => event.type === 'alive'));
  });

  test('an abort before the request sends nothing', async () => {
    const played = await play(contract, wire.answer(turn), { abortAt: 'start' });
    expectFailure(played, 'cancelled', 0);
  });

  test('an abort in the middle of a stream ends it', async () => {
    const held: WireReply = { ...wire.cut(turn), end: 'hang' };
    expectFailure(await play(contract, held, { abortAt: 'text' }), 'cancelled');
  });
}

function expectFailure(played: Played, type: string, requests = 1): void {
  assert.equal(played.completion, undefined);
  assert.equal(played.failure?.type, type, played.failure?.message);
  assert.equal(played.requests.length, requests, 'an adapter retries nothing');
}
