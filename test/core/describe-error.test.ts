import { describe, expect, test } from 'vitest';
import { describeError, messageOf } from '../../src/core/describe-error.ts';

const unreadable = {
  get message(): string {
    throw new Error('no');
  },
};

describe('what was thrown', () => {
  test.each<[string, unknown, string]>([
    ['an error', new TypeError('no such order'), 'TypeError: no such order'],
    ['its causes', new Error('a', { cause: new Error('b') }), 'Error: a (caused by Error: b)'],
    ['a stack in a message', new Error('a\n    at f (/x.js:1:2)\nb'), 'Error: a\nb'],
    ['a text', 'gone', 'not an error but the text "gone"'],
    ['what has no text form', Object.create(null), 'not an error but the value {}'],
    ['what cannot be read', unreadable, 'an error that cannot be read'],
  ])('is described in words: %s', (_, thrown, words) => {
    expect(describeError(thrown)).toBe(words);
  });

  test.each<[string, unknown, string]>([
    ['an error', new TypeError('no such order'), 'no such order'],
    ['a text', 'gone', 'gone'],
    ['what has no text form', Object.create(null), 'the value {}'],
    ['what cannot be read', unreadable, 'an error that cannot be read'],
  ])('has a message: %s', (_, thrown, words) => {
    expect(messageOf(thrown)).toBe(words);
  });

  // A page of HTML as the message of a failure, say; a slow look at it would stop the whole worker.
  test.each(['\n', '\r', ' ', ' \n'])('may be a megabyte of white space (%j)', (space) => {
    expect(messageOf(new Error(`a${space.repeat(1_000_000 / space.length)}b`))).toContain('b');
  });
});
