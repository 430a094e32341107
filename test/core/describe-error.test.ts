import { describe, expect, test } from 'vitest';
import { describeError, messageOf } from '../../src/core/describe-error.ts';

const unreadable = {
  get message(): string {
    throw new Error('no');
  },
};

describe('what was thrown', () => {
  test.each<[string, unknown, { readonly description: string; readonly message: string }]>([
    [
      'an error',
      new TypeError('no such order'),
      { description: 'TypeError: no such order', message: 'no such order' },
    ],
    [
      'its causes',
      new Error('a', { cause: new Error('b') }),
      { description: 'Error: a (caused by Error: b)', message: 'a' },
    ],
    [
      'a stack in a message',
      new Error('a\n    at f (/x.js:1:2)\nb'),
      { description: 'Error: a\nb', message: 'a\nb' },
    ],
    ['a text', 'gone', { description: 'not an error but the text "gone"', message: 'gone' }],
    [
      'what has no text form',
      Object.create(null),
      { description: 'not an error but the value {}', message: 'the value {}' },
    ],
    [
      'what cannot be read',
      unreadable,
      { description: 'an error that cannot be read', message: 'an error that cannot be read' },
    ],
  ])('is put in words: %s', (_, thrown, { description, message }) => {
    expect(describeError(thrown)).toBe(description);
    expect(messageOf(thrown)).toBe(message);
  });

  // A page of HTML as the message of a failure, say; a slow look at it would stop the whole worker.
  test.each(['\n', '\r', ' ', ' \n'])('may be a megabyte of white space (%j)', (space) => {
    expect(messageOf(new Error(`a${space.repeat(1_000_000 / space.length)}b`))).toContain('b');
  });
});
