import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../src/tools/agent.ts';
import type { Tool } from '../../../src/tools/tool.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCES: Readonly<Record<string, string>> = {
  "'perdure'": `'${join(root, 'src/index.ts')}'`,
  "'perdure/models'": `'${join(root, 'src/models/index.ts')}'`,
};

let directory: string;
let page: string;

beforeAll(async () => {
  page = await readFile(join(root, 'docs/writing-tools.md'), 'utf8');
  await mkdir(join(root, '.perdure'), { recursive: true });
  // Inside the repository, where packages are found.
  directory = await mkdtemp(join(root, '.perdure', 'docs-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** What the code blocks of the page export together. */
async function exportsOfPage(): Promise<Record<string, unknown>> {
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
  expect(blocks).toHaveLength(6);
  const all: Record<string, unknown> = {};
  for (const [n, block] of blocks.entries()) {
    const file = join(directory, `block-${n}.ts`);
    const code = Object.entries(SOURCES).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      block,
    );
    await writeFile(file, code);
    Object.assign(all, await import(/* @vite-ignore */ file));
  }
  return all;
}

describe('docs/writing-tools.md', () => {
  it('shows code that runs, and messages that come', async () => {
    const shown = await exportsOfPage();
    const { findOrder, refund, addToCart } = shown as Record<string, Tool<never>>;
    expect(await findOrder?.execute({ number: 'A-1' } as never, {} as never)).toEqual({
      number: 'A-1',
      status: 'shipped',
    });
    expect(refund?.summary?.({ order: 'A-1', cents: 1250 } as never)).toBe(
      'pays back 12.50 EUR of A-1',
    );
    expect(await addToCart?.parse({ sku: 'ABC-1' })).toEqual({ value: { sku: 'ABC-1', count: 1 } });
    const { countWords, askSupplier } = shown as Record<string, Tool<never>>;
    const emitted: unknown[] = [];
    const ctx = {
      signal: new AbortController().signal,
      emit: (...event: unknown[]) => emitted.push(event),
      completionToken: 'a token',
      deps: { supplier: { ask: async (...asked: unknown[]) => asked } },
    };
    expect(await countWords?.execute({ text: 'one two three' } as never, ctx as never)).toEqual({
      words: 3,
    });
    expect(emitted).toEqual([['count', [{ op: 'add', path: '/characters', value: 13 }]]]);
    expect(await askSupplier?.execute({ article: 'A' } as never, ctx as never)).toEqual([
      'A',
      'a token',
    ]);
    const support = shown['support'] as Agent<never>;
    expect(
      support.policy?.({ tool: 'refund', input: { order: 'A-1' } } as never, {} as never),
    ).toEqual({
      deny: 'A-1 is under dispute.',
    });
    const message = (shown['messageOfABadTool'] as () => string)();
    for (const line of /^```text\n(.*?)^```$/ms.exec(page)?.[1]?.trim().split('\n') ?? ['']) {
      expect(message).toContain(line.replace(/…$/, '').trim());
    }
  });
});
