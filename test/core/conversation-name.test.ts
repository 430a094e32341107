import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conversationIdOf, conversationName } from '../../src/core/conversation-name.ts';

const sha256 = (text: string): string =>
  createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex');
const nameOf = (id: string): string => conversationName(id, sha256);
const anyId = fc.string({
  unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)),
  maxLength: 1000,
});

test.each([
  ['order-42', 'order-42'],
  ['a/b', 'a%2fb'],
  ['..', '%2e%2e'],
  ['v1.2', 'v1.2'],
  ['Chat', '%43hat'],
  ['é', '%c3%a9'],
  ['50%', '50%25'],
  ['', '%'],
])('%j becomes %j and can be read back', (id, name) => {
  expect(nameOf(id)).toBe(name);
  expect(conversationIdOf(name)).toBe(id);
});

test('a long id keeps its beginning and gets a hash', () => {
  const id = `ticket/${'x'.repeat(200)}`;
  expect(nameOf(id)).toBe(`ticket%2f${'x'.repeat(31)}%~${sha256(id)}`);
  expect(conversationIdOf(nameOf(id))).toBeUndefined();
});

test('half a surrogate pair gets a hash', () => {
  expect(nameOf('a\uD83D')).toBe(`%~${sha256('a\uD83D')}`);
});

test('any id becomes a short, safe name that leads back or carries a hash', () => {
  fc.assert(
    fc.property(anyId, (id) => {
      const name = nameOf(id);
      expect(name).toMatch(/^(?!\.)[a-z0-9%_~.-]{1,140}(?<!\.)$/);
      expect(name.includes('%~') ? undefined : id).toBe(conversationIdOf(name));
    }),
  );
});

test('a text that is no name of ours leads nowhere', () => {
  for (const text of ['', 'A', '%41', 'a b', '%zz', '%ff', '.x', 'x.']) {
    expect([text, conversationIdOf(text)]).toEqual([text, text === '%41' ? 'A' : undefined]);
  }
});
