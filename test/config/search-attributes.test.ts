import { describe, expect, test } from 'vitest';
import { hasSearchAttributes } from '../../src/worker/search-attributes.ts';

/** As the server's API numbers types: Text 1, Keyword 2, Int 3, KeywordList 7. */
const OURS = { PerdureStatus: 2, PerdurePending: 3, PerdureTenant: 2, PerdureTags: 7 };

function connectionTo(listSearchAttributes: () => Promise<unknown>) {
  return { operatorService: { listSearchAttributes } } as unknown as Parameters<
    typeof hasSearchAttributes
  >[0];
}

function worker(customAttributes: object): Promise<boolean> {
  return hasSearchAttributes(
    connectionTo(() => Promise.resolve({ customAttributes })),
    'default',
  );
}

describe('conversations set our search attributes', () => {
  test('where the namespace has all of them, beside others', async () => {
    expect(await worker({ ...OURS, Theirs: 1 })).toBe(true);
  });

  test.each([
    ['one lacks', { PerdureStatus: 2, PerdurePending: 3, PerdureTenant: 2 }],
    ['none is there', {}],
    // To set it would fail the workflow task for ever.
    ['one has another type', { ...OURS, PerdurePending: 2 }],
  ])('not where %s', async (_, attributes) => {
    expect(await worker(attributes)).toBe(false);
  });

  test('not where nobody may ask', async () => {
    const refused = connectionTo(() => Promise.reject(new Error('permission denied')));
    expect(await hasSearchAttributes(refused, 'default')).toBe(false);
  });
});
