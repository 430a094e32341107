import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { MODEL_FAILURES, type ModelFailureType } from '../../src/core/failure.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { classifyError } from '../../src/models/anthropic/classify-error.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import { inOrder, startModelServer } from '../../src/models/contract/model-server.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { buildRequest, complete } from './build-request.ts';

function apiError(
  status: number | undefined,
  type: string | null,
  message: string,
  more: { headers?: Record<string, string>; code?: string } = {},
): unknown {
  const details = more.code === undefined ? {} : { details: { error_code: more.code } };
  const body = { error: { ...(type === null ? {} : { type }), message, ...details } };
  return APIError.generate(status, body, undefined, new Headers(more.headers));
}

function inStream(type: string): unknown {
  const body = { type: 'error', error: { type, message: 'words' } };
  return new APIError(undefined, body, undefined, new Headers(), type as never);
}

const TABLE: readonly (readonly [string, unknown, ModelFailureType])[] = [
  ['429', apiError(429, 'rate_limit_error', 'slow down'), 'rate_limited'],
  [
    '429 of a spend cap',
    apiError(429, 'rate_limit_error', 'monthly spend limit reached'),
    'billing',
  ],
  [
    '429 that says not to retry',
    apiError(429, 'rate_limit_error', 'no', { headers: { 'x-should-retry': 'false' } }),
    'billing',
  ],
  ['529', apiError(529, 'overloaded_error', 'busy'), 'overloaded'],
  ['500', apiError(500, 'api_error', 'oops'), 'server_error'],
  ['502 from a proxy', apiError(502, null, '<html>'), 'server_error'],
  ['504', apiError(504, 'timeout_error', 'late'), 'server_error'],
  ['408', apiError(408, null, 'late'), 'server_error'],
  ['409', apiError(409, 'conflict_error', 'conflict'), 'server_error'],
  ['400', apiError(400, 'invalid_request_error', 'messages.1: bad'), 'invalid_request'],
  [
    '400 that says to retry',
    apiError(400, 'invalid_request_error', 'warming up', { headers: { 'x-should-retry': 'true' } }),
    'server_error',
  ],
  [
    '400 of a full window',
    apiError(400, 'invalid_request_error', 'prompt is too long: 9 > 8'),
    'context_overflow',
  ],
  [
    '400 of no credit',
    apiError(400, 'invalid_request_error', 'Your credit balance is too low'),
    'billing',
  ],
  [
    '400 of large images',
    apiError(400, 'invalid_request_error', 'x', { code: 'image_dimensions_too_large' }),
    'too_large',
  ],
  ['422', apiError(422, null, 'unprocessable'), 'invalid_request'],
  ['413', apiError(413, 'request_too_large', 'big'), 'too_large'],
  ['401', apiError(401, 'authentication_error', 'who?'), 'auth'],
  ['402', apiError(402, 'billing_error', 'pay'), 'billing'],
  ['403', apiError(403, 'permission_error', 'no'), 'permission'],
  ['404', apiError(404, 'not_found_error', 'model: x'), 'not_found'],
  ['overloaded in the stream', inStream('overloaded_error'), 'overloaded'],
  ['rate limit in the stream', inStream('rate_limit_error'), 'rate_limited'],
  ['server error in the stream', inStream('api_error'), 'server_error'],
  ['a word of tomorrow in the stream', inStream('new_error'), 'bad_response'],
  ['no connection', new APIConnectionError({ message: 'x' }), 'connection'],
  ['a connection that timed out', new APIConnectionTimeoutError(), 'connection'],
  ['an abort', new APIUserAbortError(), 'cancelled'],
  ['a broken body', new TypeError('terminated'), 'connection'],
  ['a reset', Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'connection'],
  ['broken JSON', new SyntaxError('Unexpected token'), 'bad_response'],
  ['a throttled Bedrock stream', inStream('throttlingException'), 'rate_limited'],
  ['a broken Bedrock stream', inStream('modelStreamErrorException'), 'server_error'],
  ['no AWS credentials', new Error('Could not load credentials from any providers'), 'auth'],
  ['no key', new Error('Could not resolve authentication method. Expected one of'), 'auth'],
  ['anything else', new RangeError('odd'), 'bad_response'],
  ['no error at all', 'odd', 'bad_response'],
];

describe('errors of the Anthropic API', () => {
  test.each(TABLE)('%s is classified', (_name, error, type) => {
    const failure = classifyError(error, 'set the key');
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure.type).toBe(type);
    expect(MODEL_FAILURES).toContain(failure.type);
  });

  test('a failure is classified once', () => {
    const failure = new ModelFailure('stalled', 'x');
    expect(classifyError(failure, '')).toBe(failure);
  });

  test('the message says what to do, and the request id goes along', async () => {
    const server = await startModelServer(
      inOrder(anthropicWire.error('auth', { 'request-id': 'req_9' })),
    );
    const model = anthropic('claude-wire-1', { apiKey: 'wrong', baseURL: server.url });
    const failure = await complete(model, buildRequest()).catch((error: unknown) => error);
    await server.close();
    expect(failure).toMatchObject({
      type: 'auth',
      requestId: 'req_9',
      message: expect.stringContaining('set ANTHROPIC_API_KEY') as string,
    });
    expect(JSON.stringify(failure)).not.toContain('wrong');
  });

  test('what a broken completion had used is told; nothing, when the service said nothing', async () => {
    const server = await startModelServer(
      inOrder(anthropicWire.errorInStream('overloaded'), anthropicWire.error('overloaded')),
    );
    const model = anthropic('claude-wire-1', { apiKey: 'k', baseURL: server.url });
    const [inTheMiddle, before] = [
      await complete(model, buildRequest()).catch((error: unknown) => error as ModelFailure),
      await complete(model, buildRequest()).catch((error: unknown) => error as ModelFailure),
    ];
    await server.close();
    expect(inTheMiddle).toMatchObject({ usage: { input: 11, cacheRead: 5, cacheWrite: 3 } });
    expect(before).toHaveProperty('type', 'overloaded');
    expect(before instanceof ModelFailure && before.usage).toBeUndefined();
  });
});
