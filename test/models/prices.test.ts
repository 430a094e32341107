import { describe, expect, test } from 'vitest';
import { costOf, type PriceList, priceOf, shippedPrices } from '../../src/models/prices.ts';

const list: PriceList = {
  date: '2026-01-01',
  source: 'a price page',
  prices: {
    'claude-a*': { input: 1, output: 2 },
    'claude-a-5*': { input: 3, output: 4, cacheRead: 0.3, cacheWrite: 3.75 },
    exact: { input: 5, output: 6 },
  },
};

describe('prices', () => {
  test('the shipped list says its date and source, and reads cost less than writes', () => {
    const { date, source, prices } = shippedPrices();
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(source).toContain('https://');
    for (const price of Object.values(prices)) {
      expect(price.cacheRead).toBeLessThan(price.input);
      expect(price.cacheWrite).toBeGreaterThan(price.input);
      expect(price.output).toBeGreaterThan(price.input);
    }
  });

  test('the longest beginning of an id wins; dated ids are their model', () => {
    expect(priceOf('claude-a-4-20250101', list)?.input).toBe(1);
    expect(priceOf('claude-a-5-20260101', list)?.input).toBe(3);
    expect(priceOf('exact', list)?.input).toBe(5);
    expect(priceOf('exact-not', list)).toBeUndefined();
    expect(priceOf('claude-opus-5-5')?.input).not.toBe(priceOf('claude-opus-5')?.input);
  });

  test('a model without a price has none, not zero', () => {
    expect(priceOf('gpt-of-somebody')).toBeUndefined();
  });

  test('cached tokens cost what is said, else what the others do', () => {
    const usage = { input: 1e6, cacheRead: 1e6, cacheWrite: 1e6, output: 1e6, reasoning: 5e5 };
    expect(costOf(usage, { input: 3, output: 4, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(
      11.05,
    );
    expect(costOf(usage, { input: 1, output: 2 })).toBeCloseTo(5);
  });
});
