import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/decisions/cases-of-other-loops.md', root), 'utf8');
const rows = [...page.matchAll(/^\| +(\d+) \| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, number, , shown = '']) => ({ number: Number(number), shown }),
);
/** Which numbers of the list are about tools. */
const ABOUT_TOOLS = [
  [1, 25],
  [36, 41],
  [51, 60],
  [137, 165],
] as const;

describe('docs/decisions/cases-of-other-loops.md', () => {
  test('names a test for each case, or one of at most eight reasons', () => {
    const expected = ABOUT_TOOLS.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, n) => from + n),
    );
    expect(rows.map(({ number }) => number)).toEqual(expected);
    const otherwise = rows.filter(({ shown }) => shown.startsWith('_otherwise:_ '));
    expect(otherwise.length).toBeLessThanOrEqual(8);
  });

  test('names only tests that there are', async () => {
    const missing: string[] = [];
    for (const { shown } of rows) {
      if (shown.startsWith('_otherwise:_ ')) continue;
      const [, file = '', name = ''] = /^`(.+?)`: (.+)$/.exec(shown) ?? [];
      if (name === '' || !hasTest(await sourceOf(file), name)) missing.push(shown);
    }
    expect(missing).toEqual([]);
  });

  test('gives as reasons only what tests show that there are', async () => {
    const files = rows
      .filter(({ shown }) => shown.startsWith('_otherwise:_ '))
      .flatMap(({ shown }) => [...shown.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file));
    const sources = await Promise.all(files.map(sourceOf));
    expect(files.filter((_, n) => sources[n] === '')).toEqual([]);
  });
});

function sourceOf(file: string): Promise<string> {
  return readFile(new URL(file, root), 'utf8').catch(() => '');
}

/** By its whole name, not by words that stand there somewhere. */
function hasTest(source: string, name: string): boolean {
  return ["'", '"', '`'].some(
    (quote) =>
      source.includes(`${quote}${name}${quote}`) || source.includes(`${quote}%s ${name}${quote}`),
  );
}
