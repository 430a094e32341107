import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/decisions/acceptance-cases-of-models.md', root), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| +\d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, cases = '', , held = '']) => ({ cases: cases.split(', ').map(Number), held }));

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('the page of acceptance cases about models', () => {
  test('has every case once, at most four with a reason in place of a test', () => {
    expect(rows.flatMap(({ cases }) => cases)).toEqual([
      ...range(4, 19),
      ...range(42, 44),
      ...range(58, 70),
      ...range(98, 103),
    ]);
    expect(rows.filter(({ held }) => held.startsWith('Not so')).length).toBeLessThanOrEqual(4);
  });

  test('names tests that exist', async () => {
    const named = rows.flatMap(({ held }) => [...held.matchAll(/`([^`]+\.ts)` "([^"]+)"/g)]);
    expect(named.length).toBeGreaterThanOrEqual(rows.length - 1);
    for (const [, file = '', name = ''] of named) {
      expect(await readFile(new URL(file, root), 'utf8'), `${file}: "${name}"`).toContain(name);
    }
  });
});
