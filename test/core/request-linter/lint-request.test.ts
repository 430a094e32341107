import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/model-request.ts';
import { lintRequest } from '../../../src/core/request-linter/lint-request.ts';
import {
  assistant,
  call,
  image,
  png,
  request,
  result,
  thought,
  tool,
  user,
} from './build-request.ts';

test('a valid request comes back as the very same object, with nothing to report', () => {
  const valid = request([
    user('hello', image(png())),
    assistant(thought(), 'I look', call('a'), call('b')),
    tool('a', result('b', { isError: true })),
    assistant(thought(), 'Done'),
    user('thanks'),
  ]);
  expect(lintRequest(valid)).toEqual({ request: valid, repairs: [] });
  expect((lintRequest(valid) as { request: unknown }).request).toBe(valid);
});

describe('what cannot be mended is a problem', () => {
  const problemOf = (value: ModelRequest, options = {}) => lintRequest(value, options);

  test('a request that is too large, by its bytes, naming the largest message', () => {
    const large = request([user('x'), assistant('y'), user('ü'.repeat(2_000))]);
    expect(problemOf(large, { limits: { bodyBytes: 4_000 } })).toMatchObject({
      problem: { type: 'too_large', at: 'messages[2]' },
    });
    expect(problemOf(large, { limits: { bodyBytes: 6_000 } })).toMatchObject({ repairs: [] });
  });

  test('a request with too many messages', () => {
    const many = request([user('x'), assistant('y'), user('z')]);
    expect(problemOf(many, { limits: { messages: 2 } })).toMatchObject({
      problem: { type: 'too_large', at: 'messages' },
    });
  });

  test.each([
    [{ name: 'a.b' }, 'expected a name'],
    [{ name: 'look' }, 'another tool named "look"'],
    [{ inputSchema: { type: 'array' } }, '"type": "object"'],
    [{ inputSchema: { type: 'object', oneOf: [] } }, 'no "oneOf" at the root'],
  ])('a tool that no API takes: %j', (wrong, words) => {
    const valid = request([user('x')]);
    const added = { name: 'other', description: 'd', inputSchema: { type: 'object' }, ...wrong };
    expect(problemOf({ ...valid, tools: [...valid.tools, added] })).toMatchObject({
      problem: { type: 'invalid_tools', at: 'tools[1]', message: expect.stringContaining(words) },
    });
  });
});
