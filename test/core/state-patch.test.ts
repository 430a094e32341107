import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { applyStatePatch, type Operation } from '../../src/core/state-patch.ts';

const place = fc
  .array(fc.constantFrom('a', 'b', 'text', 'list', '0', '1', '-', '01', 'length', 'toString', ''), {
    maxLength: 4,
  })
  .map((names) => names.map((name) => `/${name}`).join(''));
const value = fc.constantFrom<Json>(null, 4_000_000_000, 'word', [1], { a: { b: 1 } });
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: place, value }),
  fc.record({ op: fc.constantFrom('move', 'copy'), path: place, from: place }),
  fc.record({ op: fc.constant('remove'), path: place }),
) as fc.Arbitrary<Operation>;

describe('a patch of the shared state', () => {
  test('of whatever operations gives a JSON document or a problem, and leaves the state as it was', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 8 }), (patch) => {
        const state: Json = { a: { b: 1 }, text: 'words', list: [1, 2] };
        const before = JSON.stringify(state);
        const result = applyStatePatch(state, patch);
        expect(JSON.stringify(state)).toBe(before);
        if ('problem' in result) expect(result.problem).not.toBe('');
        else expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each<[string, Operation]>([
    ['puts nothing into a text', { op: 'add', path: '/text/0', value: 1 }],
    ['changes no character of a text', { op: 'replace', path: '/text/0', value: 1 }],
    ['does not set the length of a list', { op: 'replace', path: '/list/length', value: 4e9 }],
    ['does not take the whole state away', { op: 'remove', path: '' }],
    ['copies nothing that is no data', { op: 'copy', from: '/toString', path: '/a' }],
  ])('%s', (_, one) => {
    expect(applyStatePatch({ text: 'words', list: [1] }, [one])).toHaveProperty('problem');
  });

  test('that is none is a problem', () => {
    expect(applyStatePatch({}, [null] as never)).toHaveProperty('problem');
  });

  test('whose copies double the state ends at its size', () => {
    const bomb = Array.from({ length: 60 }, (_, n) => ({
      op: 'copy' as const,
      from: '',
      path: `/k${n}`,
    }));
    expect(applyStatePatch({ word: '0123456789' }, bomb)).toMatchObject({
      problem: expect.stringContaining('more than 65536 bytes') as unknown,
    });
  });
});
