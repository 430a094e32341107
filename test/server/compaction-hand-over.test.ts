import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { withWorker } from '../support/with-worker.ts';

const WORDS = 'lorem ipsum '.repeat(200);
/** Per turn. */
const PAGES = 25;

const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'read',
  execute: ({ n }) => `page ${n}: ${WORDS}`,
});

const isSummary = (request: ModelRequest) =>
  JSON.stringify(request.messages.at(-1)).includes('Summarise this conversation');

/** Pages that a request shows whole. */
const wholeIn = (request: ModelRequest | undefined) =>
  [...JSON.stringify(request?.messages).matchAll(/page (\d+): ([a-z ]*)/g)].flatMap(
    ([, n, words]) => (words === WORDS ? [Number(n)] : []),
  );

test('what was shown shorter stays so, by another worker and in another run, and more is shortened there', async () => {
  const requests: ModelRequest[] = [];
  const reader = defineAgent({
    name: 'reader',
    model: scripted((request, turn) => {
      if (isSummary(request)) return 'SUMMARY: pages were read.';
      requests.push(request);
      // Each turn reads its pages and ends with an answer.
      return (turn + 1) % (PAGES + 1) === 0 ? 'Read.' : toolCall('read_page', { n: turn });
    }),
    instructions: 'Read.',
    tools: [readPage],
    contextBudget: 6_000,
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-compaction-'));
  const setting = {
    agents: [reader],
    taskQueue: `compaction-${randomUUID()}`,
    dataDir,
    internals: { handOver: { bytes: 3_000_000, events: 60 } },
  };
  const id = `reader-${randomUUID()}`;
  let ofFirstWorker = 0;
  try {
    for (const turn of [1, 2]) {
      ofFirstWorker = requests.length;
      await withWorker(setting, async ({ client }) => {
        const conversation = client.handle(id);
        if (turn === 1) await client.start('reader', { id, mode: 'chat', message: 'read' });
        else await conversation.send('read on');
        await expect
          .poll(async () => (await conversation.status()).lastTurn, { timeout: 60_000 })
          .toMatchObject({ turn, stopReason: 'answered', text: 'Read.' });
        if (turn === 1) return;
        expect((await conversation.record()).runs.length).toBeGreaterThan(3);
        await conversation.close();
        await conversation.result();
      });
    }
    const isOut = new Set<number>();
    let before: readonly number[] = [];
    for (const request of requests) {
      const whole = wholeIn(request);
      for (const page of before) if (!whole.includes(page)) isOut.add(page);
      expect(whole.filter((page) => isOut.has(page))).toEqual([]);
      before = whole;
    }
    const resumed = requests[ofFirstWorker];
    expect(wholeIn(resumed)).toEqual(wholeIn(requests[ofFirstWorker - 1]));
    expect(JSON.stringify(resumed?.messages)).toContain('SUMMARY: pages were read.');
    expect(wholeIn(requests.at(-1)).every((page) => page > PAGES + 1)).toBe(true);
    expect(isOut.size).toBeGreaterThan(PAGES);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
