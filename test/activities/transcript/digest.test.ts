import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainDigest, digestOf, sha256Hex } from '../../../src/activities/transcript/digest.ts';
import type { Json } from '../../../src/core/json.ts';

const throughJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

describe('digestOf', () => {
  test('is SHA-256 over the RFC 8785 form, whatever the order of the members', () => {
    const form = '{"a":[1,"é"],"b":{"c":null,"d":1e+21}}';
    expect(digestOf({ b: { d: 1e21, c: null }, a: [1.0, 'é'] })).toBe(sha256Hex(form));
  });

  test('takes text with half of a surrogate pair, and tells it from its look-alikes', () => {
    const texts = ['a\ud800', 'a\udc00', 'a\ufffd', 'a\\ud800', 'a\\\\ud800', 'a', 'a\ud83d\ude00'];
    expect(new Set(texts.map((text) => digestOf({ text }))).size).toBe(texts.length);
    expect(new Set(texts.map((text) => digestOf({ [text]: 1 }))).size).toBe(texts.length);
  });

  test('a value that JSON changes has the digest of what is recorded', () => {
    const value = { a: Number.NaN, b: undefined, c: -0, d: [Infinity], e: '\ud800' };
    expect(digestOf(value as unknown as Json)).toBe(digestOf(throughJson(value)));
    expect(digestOf({ a: Number.NaN } as Json)).toBe(digestOf({ a: null }));
  });

  test('is the same before and after a trip through JSON, for any value', () => {
    const anyText = fc.string({ unit: 'binary' });
    const anyHalf = fc
      .array(fc.integer({ min: 0xd7f0, max: 0xe010 }))
      .map((codes) => String.fromCharCode(...codes));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        anyText,
        anyHalf,
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(anyText, anyHalf), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (sample) => {
        expect(digestOf(sample as Json)).toBe(digestOf(throughJson(sample)));
      }),
    );
  });
});

test('chainDigest is SHA-256 over the previous digest and the entry digest, as hexadecimal text', () => {
  const [a, b] = [sha256Hex('a'), sha256Hex('b')];
  expect(chainDigest(null, a)).toBe(sha256Hex(a));
  expect(chainDigest(chainDigest(null, a), b)).toBe(sha256Hex(sha256Hex(a) + b));
});
