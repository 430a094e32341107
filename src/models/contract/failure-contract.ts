import assert from 'node:assert/strict';
import { startModelServer } from './model-server.ts';
import type { ModelContract } from './model-contract.ts';
import { play, requestOf } from './play.ts';
import type { WireError } from './wire.ts';

const ERRORS: readonly WireError[] = [
  'rate_limited',
  'overloaded',
  'server_error',
  'invalid_request',
  'context_overflow',
  'too_large',
  'auth',
  'permission',
  'not_found',
  'billing',
];

/** Error responses: each has one stable type, and asks to wait as long as it says. */
export function failureContract(contract: ModelContract): void {
  const { test, wire } = contract;

  for (const error of ERRORS) {
    test(`an error response is classified: ${error}`, async () => {
      const { failure, requests } = await play(contract, wire.error(error));
      assert.equal(failure?.type, error, failure?.message);
      assert.equal(requests.length, 1, 'an adapter retries nothing');
    });
  }

  for (const [name, headers, expected] of [
    ['seconds', { 'retry-after': '36000' }, 36_000_000],
    ['parts of a second', { 'retry-after': '0.25' }, 250],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['an absurd number', { 'retry-after': '1e400' }, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ] as const) {
    test(`retry-after as ${name}`, async () => {
      const { failure } = await play(contract, wire.error('rate_limited', headers));
      assert.equal(failure?.type, 'rate_limited');
      assert.equal(failure.retryAfterMs, expected);
    });
  }

  test('retry-after as a date', async () => {
    const at = new Date(Date.now() + 60_000).toUTCString();
    const { failure } = await play(contract, wire.error('overloaded', { 'retry-after': at }));
    const wait = failure?.retryAfterMs ?? 0;
    assert.ok(wait > 30_000 && wait <= 60_000, String(wait));
  });

  test('a service that nobody runs is a connection failure', async () => {
    const server = await startModelServer(() => ({ chunks: [] }));
    await server.close();
    const model = contract.create({ url: server.url }, {});
    await assert.rejects(
      model.complete(requestOf(), {
        signal: new AbortController().signal,
        onEvent: () => undefined,
      }),
      { name: 'ModelFailure', type: 'connection' },
    );
  });
}
