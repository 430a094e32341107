import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { applyStatePatch, type Operation } from '../../src/core/state-patch.ts';

const ORDINARY = ['a', 'b', 'text', 'list', '0', '1', '-', '01', 'length', ''];
const METHODS = ['toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then'];
const place = fc
  .array(fc.constantFrom(...ORDINARY, ...METHODS), { maxLength: 4 })
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

  test('tests members that are named as the methods of objects', () => {
    const moved: Operation = { op: 'move', from: '/a', path: '/toString' };
    const state = { a: { b: 1 } };
    expect(
      applyStatePatch(state, [moved, { op: 'test', path: '', value: { toString: { b: 1 } } }]),
    ).toEqual({ state: { toString: { b: 1 } } });
    expect(applyStatePatch(state, [moved, { op: 'test', path: '', value: null }])).toEqual({
      problem: 'operation 1 (test ): {"toString":{"b":1}} is there, not null',
    });
  });

  test('tests a member by its value, whatever the order of names', () => {
    const state = { a: [{ b: 1, c: [null, 'x'] }] };
    const same: Operation = { op: 'test', path: '/a', value: [{ c: [null, 'x'], b: 1 }] };
    expect(applyStatePatch(state, [same])).toEqual({ state });
    for (const value of [
      [{ b: 1, c: [null] }],
      [{ b: 1 }],
      { 0: { b: 1, c: [null, 'x'] } },
      [],
      1,
    ]) {
      expect(applyStatePatch(state, [{ op: 'test', path: '/a', value }])).toHaveProperty('problem');
    }
  });

  test('tests a list of ten thousand that differs in every place, in the memory of the list', () => {
    const list = (first: number) => Array.from({ length: 10_000 }, (_, n) => first + (n % 9));
    expect(
      applyStatePatch({ list: list(0) }, [{ op: 'test', path: '/list', value: list(9) }]),
    ).toMatchObject({ problem: expect.stringContaining('[0,1,2') as unknown });
  });

  test.each<[string, readonly Operation[]]>([
    ['a value', [{ op: 'add', path: '/deep', value: nested(20_000) }]],
    ['values in values', nestedBySteps('add')],
    ['what is moved into what was moved', nestedBySteps('move')],
  ])('nests the state no deeper than 200 levels, by %s', (_, patch) => {
    expect(applyStatePatch({ a: {} }, patch)).toMatchObject({
      problem: expect.stringContaining('deeper than 200 levels') as unknown,
    });
  });

  test('is refused in few words, however long its pointers are', () => {
    const path = `/${'a'.repeat(60_000)}`;
    for (const patch of [[{ op: 'remove', path }], [{ op: 'remove', path: path.slice(1) }]]) {
      const result = applyStatePatch({}, patch as readonly Operation[]);
      expect('problem' in result && result.problem.length).toBeLessThan(500);
    }
  });

  test('whose value has a member "__proto__" is refused: the copy would lack it', () => {
    const value = JSON.parse('{"list":[{"__proto__":{"paid":true}}]}') as Json;
    const problem = 'operation 0 (add /a): a member "__proto__" is not allowed';
    expect(applyStatePatch({}, [{ op: 'add', path: '/a', value }])).toEqual({ problem });
    const relocated = applyStatePatch({ old: value }, [{ op: 'copy', from: '/old', path: '/a' }]);
    expect(relocated).toEqual({ problem: problem.replace('add', 'copy') });
  });

  test('moves no value into itself', () => {
    expect(applyStatePatch({ a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }])).toEqual({
      problem: 'operation 0 (move /a/b): a value cannot be moved into itself',
    });
  });

  test('ignores the members of an operation that are none of its own', () => {
    const add = { op: 'add', path: '/b', value: 1, from: '/nowhere' } as Operation;
    expect(applyStatePatch({}, [add])).toEqual({ state: { b: 1 } });
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

function nested(levels: number): Json {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;
}

/** Each step alone is shallow: a holder is made, and all that was made before is put into it. */
function nestedBySteps(op: 'add' | 'move'): readonly Operation[] {
  return Array.from({ length: 300 }, (_, step): Operation[] =>
    op === 'add'
      ? [{ op, path: `/a${'/a'.repeat(step)}`, value: { a: {} } }]
      : [
          { op: 'add', path: '/holder', value: {} },
          { op, from: '/a', path: '/holder/a' },
          { op, from: '/holder', path: '/a' },
        ],
  ).flat();
}
