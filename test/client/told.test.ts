import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { previewOf } from '../../src/core/stored.ts';
import { NOTHING_TOLD, toldBy, toldOf } from '../../src/client/watch/told.ts';

const told = (...pieces: string[]) => pieces.reduce(toldBy, NOTHING_TOLD);

describe('what was told of a text', () => {
  test('is all of it, however it was cut into pieces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.nat(), (text, a, b) => {
        const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y);
        const pieces = told(text.slice(0, from), text.slice(from, to), text.slice(to));
        expect(toldOf(text, pieces)).toBe(text.length);
      }),
    );
  });

  test('is a beginning when only a beginning was told', () => {
    expect(toldOf('one two three', told('one ', 'tw'))).toBe(6);
    expect('one two three'.slice(toldOf('one two three', told('one ', 'tw')))).toBe('o three');
  });

  test('ends where it ended, also in white space', () => {
    expect(toldOf('one two', told('one '))).toBe(4);
    expect(toldOf('one  two', told('one', ' '))).toBe(4);
    expect(toldOf('one two', told('one \n'))).toBe(4);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 12 });
    fc.assert(
      fc.property(text, fc.nat(), (said, cut) => {
        const live = said.slice(0, cut % (said.length + 1));
        const rest = said.slice(toldOf(said, told(live)));
        // White space at the very end is not given again.
        expect((live + rest).trimEnd()).toBe(said.trimEnd());
      }),
    );
  });

  test('is nothing when another text was told, or more than there is', () => {
    expect(toldOf('one two', told('one owt'))).toBe(0);
    expect(toldOf('one two', told('one two three'))).toBe(0);
    expect(toldOf('one two', NOTHING_TOLD)).toBe(0);
  });

  test('is all of a preview that was cut, or has less white space', () => {
    const text = `first line\n\n  second line ${'x'.repeat(500)}`;
    const preview = previewOf(text, 100);
    expect(toldOf(preview, told(text))).toBe(preview.length);
    expect(toldOf(previewOf('a \n b', 100), told('a \n b'))).toBe('a b'.length);
  });
});
