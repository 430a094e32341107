import { expect, test } from 'vitest';
import {
  createHistorySource,
  type HistoryEvent,
} from '../../../src/activities/transcript/history-source.ts';

const run = { namespace: 'default', workflowId: 'w', runId: 'r' };

/** A server with so many events, behind a library that takes no more than `most` of them at once. */
function connectionWith(count: number, most: number) {
  const asked: number[] = [];
  const readPage = async (request: {
    readonly maximumPageSize: number;
    readonly nextPageToken: Uint8Array | null;
  }) => {
    asked.push(request.maximumPageSize);
    if (request.maximumPageSize > most) {
      throw Object.assign(new Error('8 RESOURCE_EXHAUSTED'), {
        code: 8,
        details: 'Received message larger than max (4213379 vs 4194304)',
        metadata: {},
      });
    }
    const from = request.nextPageToken === null ? 0 : Number(Buffer.from(request.nextPageToken));
    const to = Math.min(from + request.maximumPageSize, count);
    return {
      history: { events: Array.from({ length: to - from }, (_, n) => ({ version: from + n })) },
      nextPageToken: to < count ? Buffer.from(String(to)) : null,
    };
  };
  const connection = {
    withDeadline: <T>(_deadline: number | Date, read: () => Promise<T>) => read(),
    workflowService: {
      getWorkflowExecutionHistory: readPage,
      getWorkflowExecutionHistoryReverse: readPage,
    },
  };
  return { asked, source: createHistorySource(connection as never) };
}

async function read(count: number, most: number) {
  const { asked, source } = connectionWith(count, most);
  const events: HistoryEvent[] = [];
  for await (const page of source.oldestFirst(run)) events.push(...page);
  return { asked, numbers: events.map(({ version }) => version) };
}

test('pages that the library refuses as too large are asked for in smaller ones, without a gap', async () => {
  const { asked, numbers } = await read(30, 2);
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => n));
  expect(asked.slice(0, 3)).toEqual([24, 6, 2]);
});

test('a single event that the library refuses is an error', async () => {
  await expect(read(3, 0)).rejects.toThrow('RESOURCE_EXHAUSTED');
});
