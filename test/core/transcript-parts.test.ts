import { expect, test } from 'vitest';
import type { Entry } from '../../src/core/entry.ts';
import { stepStarts } from '../../src/core/transcript-parts.ts';

/** `u` user, `n` note, `s` summary; `A` the assistant's turn of step 1, `a` a result of it; `B`, `b` of step 2, … */
function entriesOf(letters: string): readonly Entry[] {
  return letters.split('').map((letter) => {
    const kinds: Record<string, string> = { u: 'user', n: 'note', s: 'summary' };
    const isTurn = letter === letter.toUpperCase();
    const kind = kinds[letter] ?? (isTurn ? 'assistant' : 'result');
    return { kind, turn: 1, step: letter.toUpperCase().charCodeAt(0) } as Entry;
  });
}

test.each([
  ['uAaBbCc', [3, 5]],
  ['uAauBbb', [3]],
  ['uAansuBb', [3]],
  ['uABC', [2, 3]],
  ['u', []],
  ['', []],
])('%s can be parted where steps begin: %j', (letters, starts) => {
  expect(stepStarts(entriesOf(letters))).toEqual(starts);
});

test('a result that came late keeps the steps together over which it reaches', () => {
  expect(stepStarts(entriesOf('uAaBbaCcDd'))).toEqual([6, 8]);
});

test('there is no place to part behind a turn that waits for results', () => {
  expect(stepStarts(entriesOf('uAaBbCDd'), 5)).toEqual([3, 5]);
});
