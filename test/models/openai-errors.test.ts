import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { describe, expect, test } from 'vitest';
import { MODEL_FAILURES, type ModelFailureType } from '../../src/core/failure.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { classifyError } from '../../src/models/openai-compatible/classify-error.ts';

function apiError(
  status: number | undefined,
  error: Record<string, unknown>,
  headers: Record<string, string> = {},
): unknown {
  return status === undefined
    ? new APIError(undefined, error, undefined, new Headers(headers))
    : APIError.generate(status, { error }, undefined, new Headers(headers));
}

const VLLM_TOO_LONG =
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens";

const TABLE: readonly (readonly [string, unknown, ModelFailureType])[] = [
  ['429', apiError(429, { code: 'rate_limit_exceeded', message: 'slow' }), 'rate_limited'],
  ['429 without a word', apiError(429, { message: 'slow' }), 'rate_limited'],
  [
    '429 about tokens per minute',
    apiError(429, { message: 'context window tokens per min' }),
    'rate_limited',
  ],
  ['429 of a quota', apiError(429, { code: 'insufficient_quota', message: 'x' }), 'billing'],
  ['402 of no credits', apiError(402, { code: 402, message: 'Insufficient credits' }), 'billing'],
  ['401', apiError(401, { code: 'invalid_api_key', message: 'x' }), 'auth'],
  ['403', apiError(403, { message: 'x' }), 'permission'],
  ['404', apiError(404, { code: 'model_not_found', message: 'x' }), 'not_found'],
  ['408', apiError(408, { message: 'x' }), 'server_error'],
  ['413', apiError(413, { message: 'x' }), 'too_large'],
  ['400', apiError(400, { message: 'bad' }), 'invalid_request'],
  [
    '400 that says to retry',
    apiError(400, { message: 'x' }, { 'x-should-retry': 'true' }),
    'server_error',
  ],
  [
    '400 of a full window',
    apiError(400, { code: 'context_length_exceeded', message: 'x' }),
    'context_overflow',
  ],
  ['400 of a full window, in words', apiError(400, { message: VLLM_TOO_LONG }), 'context_overflow'],
  ['400 of a filter', apiError(400, { code: 'content_filter', message: 'x' }), 'refused'],
  ['422', apiError(422, { message: 'x' }), 'invalid_request'],
  ['500', apiError(500, { message: 'x' }), 'server_error'],
  ['502', apiError(502, { message: 'x' }), 'server_error'],
  ['503', apiError(503, { message: 'no provider' }), 'overloaded'],
  [
    'a word inside a 200',
    apiError(undefined, { type: 'overloaded_error', message: 'x' }),
    'overloaded',
  ],
  [
    'a status for a code inside a 200',
    apiError(undefined, { code: 502, message: 'x' }),
    'server_error',
  ],
  ['nothing known inside a 200', apiError(undefined, { message: 'x' }), 'bad_response'],
  ['no connection', new APIConnectionError({ message: 'x' }), 'connection'],
  ['a connection that timed out', new APIConnectionTimeoutError(), 'connection'],
  [
    'our own failure behind a connection error',
    new APIConnectionError({ cause: new ModelFailure('bad_response', 'x') }),
    'bad_response',
  ],
  ['an abort', new APIUserAbortError(), 'cancelled'],
  ['a broken body', new TypeError('terminated'), 'connection'],
  ['broken JSON', new SyntaxError('x'), 'bad_response'],
  ['no key', new Error('Missing credentials. Please pass an `apiKey`'), 'auth'],
  ['anything else', new RangeError('odd'), 'bad_response'],
];

describe('errors of compatible servers', () => {
  test.each(TABLE)('%s is classified', (_name, error, type) => {
    const failure = classifyError(error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure.type).toBe(type);
    expect(MODEL_FAILURES).toContain(failure.type);
  });
});
