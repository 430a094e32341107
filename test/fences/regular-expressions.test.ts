import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyse } from 'scslre';
import { parseSync, Visitor } from 'vite';
import { expect, test } from 'vitest';
import { repository } from './scratch-project.ts';

interface Expression {
  readonly source: string;
  readonly flags: string;
}

// What a model, a tool or a sender wrote may be megabytes long and shaped to hurt.
test('no regular expression of the product takes longer than its text is long', async () => {
  const slow: string[] = [];
  let judged = 0;
  for (const file of await readdir(join(repository, 'src'), { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    for (const expression of expressionsOf(file, await sourceOf(file))) {
      judged += 1;
      if (isSlow(expression)) slow.push(`src/${file}: /${expression.source}/${expression.flags}`);
    }
  }
  expect(slow).toEqual([]);
  expect(judged).toBeGreaterThan(50);
});

test.each(['=+$', String.raw`\s*\n\s*`, String.raw`^a\s*\n([\s\S]*?)\n?b$`])(
  'one that looks at the same characters again and again is found: /%s/',
  (source) => {
    expect(isSlow({ source, flags: '' })).toBe(true);
  },
);

function sourceOf(file: string): Promise<string> {
  return readFile(join(repository, 'src', file), 'utf8');
}

function expressionsOf(file: string, source: string): readonly Expression[] {
  const found: Expression[] = [];
  const { program } = parseSync(file, source);
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ source: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(program);
  return found;
}

function isSlow(expression: Expression): boolean {
  return analyse(expression, { assumeRejectingSuffix: false }).reports.length > 0;
}
