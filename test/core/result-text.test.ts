import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText } from '../../src/core/clean-text.ts';
import type { Content } from '../../src/core/content.ts';
import { cutText } from '../../src/core/cut-text.ts';
import { estimatedTokens } from '../../src/core/estimated-tokens.ts';
import { shownError, shownOutput } from '../../src/core/shown-result.ts';
import { jsonBytes, withoutStore } from '../../src/core/without-store.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
    .map((codes) => String.fromCharCode(...codes)),
);

describe('clean text', () => {
  test('has no control characters and no half of a pair, whatever came', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanText(text);
        // oxlint-disable-next-line no-control-regex
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
        expect(encodeURIComponent(clean)).toBeTypeOf('string');
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });

  test('is the text itself where there is nothing to clean', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        // oxlint-disable-next-line no-control-regex
        fc.pre(!/[\u0000-\u001f\u007f]/.test(text));
        expect(cleanText(text)).toBe(text);
      }),
    );
  });

  test('keeps the words of a coloured terminal', () => {
    const raw = '\u001b]0;title\u0007\u001b[1;31mFAIL\u001b[0m \u001b(Btest\u001b[2K\r\n';
    expect(cleanText(raw)).toBe('FAIL test\r\n');
  });
});

describe('cut text', () => {
  test('is a beginning of at most so many characters, of whole ones', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(300), (text, max) => {
        const cut = cutText(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(encodeURIComponent(cut)).toBeTypeOf('string');
      }),
    );
  });

  test('splits a character only when it is longer than any that people write', () => {
    const monster = `a${'\u0301'.repeat(500)}`;
    expect(cutText(monster, 200)).toHaveLength(200);
    expect(cutText('x'.repeat(10) + monster, 15)).toBe('x'.repeat(10));
  });
});

describe('what the model is shown', () => {
  const settings = { maxResultChars: 10, effect: 'read', edited: false } as const;

  test('is the content itself when it fits', () => {
    const content: Content = [{ type: 'text', text: '0123456789' }];
    expect(shownOutput(content, settings)).toEqual({ content, cut: false });
  });

  test('names an error by its category and effect, however long its message', () => {
    const outcome = { outcome: 'tool_failed', effect: 'unknown', message: 'm'.repeat(99) } as const;
    const { shownAs, content, cut } = shownError(outcome, { ...settings, effect: 'once' });
    expect(cut).toBe(true);
    expect(content).toContain('m'.repeat(99));
    expect(shownAs).toBe(
      '[tool_failed] The tool failed unexpectedly.\n' +
        'mmmmmmmmmm\n[The first 10 of 99 characters are shown, 89 are left out. ' +
        'The rest is kept with the conversation; do not repeat the call to see it.]\n' +
        'It is not known whether its effect happened; check before you repeat it.',
    );
  });
});

test('content without a store fits the limit, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 500, maxLength: 3_000 }),
      fc.integer({ min: 2_500, max: 5_000 }),
      (text, limit) => {
        expect(jsonBytes(withoutStore(text, limit))).toBeLessThanOrEqual(limit);
      },
    ),
  );
  expect(withoutStore('x'.repeat(500), 0)).toMatch(/^\n\[The whole result \(500 characters\)/);
});

test('tokens are estimated by bytes, more for more', () => {
  expect(estimatedTokens('')).toBe(0);
  expect(estimatedTokens('x'.repeat(32))).toBe(10);
  expect(estimatedTokens('日本')).toBe(2);
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  expect(estimatedTokens([{ type: 'text', text: 'x' }, image])).toBe(1_601);
});
