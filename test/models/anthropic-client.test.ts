import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import {
  inOrder,
  type ModelServer,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { jsonReply } from '../../src/models/contract/wire.ts';
import { buildRequest, complete } from './build-request.ts';

const signal = new AbortController().signal;
const hello = anthropicWire.answer({ text: 'Hello.' });
let server: ModelServer | undefined;
const keyOfTheMachine = process.env['ANTHROPIC_API_KEY'];

async function serve(...replies: WireReply[]): Promise<ModelServer> {
  server = await startModelServer(inOrder(...replies));
  return server;
}

beforeEach(() => {
  delete process.env['ANTHROPIC_API_KEY'];
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  if (keyOfTheMachine === undefined) delete process.env['ANTHROPIC_API_KEY'];
  else process.env['ANTHROPIC_API_KEY'] = keyOfTheMachine;
});

describe('the client of the Anthropic adapter', () => {
  test('looks for the key when a completion starts, and again after it was refused', async () => {
    const { url, requests } = await serve(anthropicWire.error('auth'), hello);
    const model = anthropic('claude-wire-1', { baseURL: url });
    await expect(complete(model, buildRequest())).rejects.toMatchObject({
      type: 'auth',
      message: expect.stringContaining('ANTHROPIC_API_KEY') as string,
    });
    process.env['ANTHROPIC_API_KEY'] = 'first';
    await expect(complete(model, buildRequest())).rejects.toMatchObject({ type: 'auth' });
    process.env['ANTHROPIC_API_KEY'] = 'second';
    expect((await complete(model, buildRequest())).text).toBe('Hello.');
    expect(requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
  });

  test('sends the headers that it was given, over a fetch of one’s own', async () => {
    const { url, requests } = await serve(hello);
    let fetched = 0;
    const model = anthropic('claude-wire-1', {
      apiKey: 'k',
      baseURL: url,
      headers: { 'x-team': 'support', 'anthropic-version': '2023-06-01' },
      fetch: (input, init) => {
        fetched += 1;
        return fetch(input, init);
      },
    });
    await complete(model, buildRequest());
    expect(fetched).toBe(1);
    expect(requests[0]?.headers).toMatchObject({
      'x-team': 'support',
      'anthropic-version': '2023-06-01',
    });
  });

  test('check is one small request that shows whether the key is taken', async () => {
    const { url, requests } = await serve(hello, anthropicWire.error('auth'));
    const model = anthropic('claude-wire-1', { apiKey: 'k', baseURL: url });
    await model.check?.({ signal });
    expect(requests[0]?.body).toMatchObject({ max_tokens: 16 });
    await expect(model.check?.({ signal })).rejects.toMatchObject({ type: 'auth' });
  });

  test('counts tokens where the API does, and classifies its failures', async () => {
    const { url, requests } = await serve(
      jsonReply(200, { input_tokens: 42 }),
      anthropicWire.error('overloaded'),
    );
    const model = anthropic('claude-wire-1', { apiKey: 'k', baseURL: url });
    expect(await model.countTokens?.(buildRequest(), { signal })).toBe(42);
    expect(requests[0]?.path).toBe('/v1/messages/count_tokens');
    await expect(model.countTokens?.(buildRequest(), { signal })).rejects.toMatchObject({
      type: 'overloaded',
    });
  });

  test('costs what the price list says, the lifetime of the cache included', () => {
    const usage = { input: 1e6, cacheRead: 1e6, cacheWrite: 1e6, output: 1e6, reasoning: 0 };
    expect(anthropic('claude-opus-5').cost?.(usage)).toBeCloseTo(5 + 0.5 + 6.25 + 25);
    expect(anthropic('claude-opus-5', { cache: '1h' }).cost?.(usage)).toBeCloseTo(
      5 + 0.5 + 10 + 25,
    );
    expect(anthropic('claude-x', { price: { input: 1, output: 2 } }).cost?.(usage)).toBe(5);
    expect(anthropic('claude-of-tomorrow').cost).toBeUndefined();
  });
});
