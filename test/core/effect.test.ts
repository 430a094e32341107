import { expect, test } from 'vitest';
import { effectAfter } from '../../src/core/effect.ts';

test.each([
  [undefined, 'none', 'none'],
  [undefined, 'unknown', 'unknown'],
  ['none', 'happened', 'happened'],
  ['unknown', 'none', 'unknown'],
  ['unknown', 'happened', 'happened'],
  ['happened', 'none', 'happened'],
  ['happened', 'unknown', 'happened'],
] as const)('after attempts that left %s, one that says %s leaves %s', (earlier, own, effect) => {
  expect(effectAfter(earlier, own)).toBe(effect);
});
