import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { PerdureConfig } from '../../src/define-config.ts';
import { memoryDefaults } from '../../src/worker/memory-defaults.ts';
import { docBlocks } from '../support/doc-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = new URL('../../docs/workers.md', import.meta.url);
const MiB = 1024 ** 2;

test('docs/workers.md: the figures are what a worker computes', async () => {
  const rows = (await readFile(page, 'utf8')).matchAll(
    /^\| ([\d,]+) (MiB|GiB) +\| ([\d,]+) MiB +\| ([\d,]+) +\| ([\d,]+) +\|$/gm,
  );
  const number = (text: string | undefined) => Number(text?.replaceAll(',', ''));
  let count = 0;
  for (const [, size, unit, transcripts, conversations, activities] of rows) {
    const memoryBytes = number(size) * (unit === 'GiB' ? 1024 : 1) * MiB;
    expect(memoryDefaults({ memoryBytes, heapBytes: memoryBytes / 2 })).toEqual({
      transcriptCacheBytes: number(transcripts) * MiB,
      maxCachedWorkflows: number(conversations),
      maxConcurrentActivities: number(activities),
    });
    count += 1;
  }
  expect(count).toBe(3);
});

test('docs/workers.md: its configuration is taken', async () => {
  const [block, ...others] = await docBlocks(page);
  expect(others).toEqual([]);
  // Inside the repository, where packages are found.
  await mkdir(join(root, '.perdure'), { recursive: true });
  const folder = await mkdtemp(join(root, '.perdure', 'workers-page-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const code = block?.code.replace("'perdure'", `'${join(root, 'src/index.ts')}'`) ?? '';
  await writeFile(
    join(folder, 'agents.ts'),
    `import { makeBenchAgent } from '${join(root, 'bench/agent.ts')}';
    export const agents = [makeBenchAgent()];`,
  );
  await writeFile(join(folder, 'perdure.config.ts'), code);
  const { default: config } = (await import(
    /* @vite-ignore */ join(folder, 'perdure.config.ts')
  )) as { default: PerdureConfig };
  expect(config.worker).toEqual({
    maxConcurrentActivities: 10,
    transcriptCacheBytes: 32 * MiB,
  });
});
