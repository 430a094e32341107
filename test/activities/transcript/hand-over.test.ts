import { describe, expect, test } from 'vitest';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { TranscriptMismatch } from '../../../src/activities/transcript/transcript-mismatch.ts';
import { resultEntryOf } from '../../../src/core/result-entry.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { newReader, newStore } from './new-reader.ts';

async function continued(blobs: BlobStore, before: RecordedRun): Promise<RecordedRun> {
  const segment = await before.handOver(blobs);
  return RecordedRun.begin({ continues: before, segment, input: { resumed: { segment } } });
}

/** Three runs: the first two handed over, a message waiting each time. */
async function threeRuns(blobs: BlobStore) {
  const first = await RecordedRun.begin();
  for (const text of ['one', 'two']) await first.pair(text);
  first.user('asked before the first hand-over');
  const second = await continued(blobs, first);
  await second.model('answered after it');
  await second.pair('three');
  second.user('asked before the second hand-over');
  const third = await continued(blobs, second);
  await third.model('answered after that');
  return { first, second, third, runs: [first, second, third] };
}

describe('after continue-as-new', () => {
  test('older entries come from the segments, without the earlier histories', async () => {
    const blobs = await newStore();
    const { first, second, third, runs } = await threeRuns(blobs);
    const history = historyOf(runs);
    history.forget(first);
    history.forget(second);
    const reader = newReader({ history, blobs });
    expect((await reader.read(third.location, third.at)).entries).toEqual(third.expected);
    expect(third.expected).toHaveLength(16);
  });

  test('a worker that had the conversation goes on with its copy', async () => {
    const blobs = await newStore();
    const first = await RecordedRun.begin();
    await first.pair('one');
    const history = historyOf([first]);
    const reader = newReader({ history, blobs });
    await reader.read(first.location, first.at);
    const second = await continued(blobs, first);
    await blobs.deleteConversation(first.location.workflowId);
    expect((await reader.read(second.location, second.at)).entries).toEqual(second.expected);
    expect(reader.statistics).toMatchObject({ hits: 1, gaps: 1 });
  });

  test('a worker that lacks only the newest segment reads that one alone', async () => {
    const blobs = await newStore();
    const { second, third, runs } = await threeRuns(blobs);
    const asked: string[] = [];
    const counting: BlobStore = {
      ...blobs,
      get: (conversation, sha256) => {
        asked.push(sha256);
        return blobs.get(conversation, sha256);
      },
    };
    const reader = newReader({ history: historyOf(runs), blobs: counting });
    await reader.read(second.location, second.at);
    await reader.read(third.location, third.at);
    expect(asked).toEqual([second.segment?.blob, third.segment?.blob]);
  });

  test('a store without the segments is made up for by the earlier histories', async () => {
    const { third, runs } = await threeRuns(await newStore());
    // What a run did before it had a turn cannot hold older entries: it is not read for them.
    third.events.splice(1, 0, ...Array.from({ length: 500 }, () => ({})));
    const history = historyOf(runs);
    const reader = newReader({ history, blobs: await newStore() });
    expect((await reader.read(third.location, third.at)).entries).toEqual(third.expected);
    expect(history.pages).toBeLessThan(25);
  });

  test('when neither store nor server has them, the missing segment is named', async () => {
    const { first, third, runs } = await threeRuns(await newStore());
    const history = historyOf(runs);
    history.forget(first);
    const reader = newReader({ history, blobs: await newStore() });
    const reading = reader.read(third.location, third.at);
    await expect(reading).rejects.toThrow(TranscriptMismatch);
    await expect(reading).rejects.toThrow(`blob ${third.segment?.blob} of conversation`);
  });

  test('a store that is away is an error of its own, not a transcript without its beginning', async () => {
    const { third, runs } = await threeRuns(await newStore());
    const away: BlobStore = {
      ...(await newStore()),
      get: () => Promise.reject(new Error('connection refused')),
    };
    const reading = newReader({ history: historyOf(runs), blobs: away }).read(
      third.location,
      third.at,
    );
    await expect(reading).rejects.toThrow('connection refused');
  });

  test('results of a batch that was open are found in the segment, or in the run that made them', async () => {
    const blobs = await newStore();
    const first = await RecordedRun.begin();
    first.user('two calls');
    const [done, waiting] = [first.plan(0), first.plan(1, { effect: 'once', verdict: 'ask' })];
    await first.model({ calls: 2 }, { calls: [done, waiting] });
    const output = await first.result(done, 'done before the hand-over');
    const [item] = first.items.splice(0);
    first.since = [];
    if (item === undefined || 'entry' in item) throw new Error('one result');
    const segment = await first.handOver(blobs, [item], [resultEntryOf(done, output)]);
    const second = await RecordedRun.begin({
      continues: first,
      segment,
      input: { resumed: { segment } },
    });
    second.items.push({ ...item, segment: segment.blob });
    second.since.push(resultEntryOf(done, output));
    await second.result(waiting, 'done after it');
    await second.model('both done');

    const history = historyOf([first, second]);
    const lost = newReader({ history, blobs: await newStore() });
    expect((await lost.read(second.location, second.at)).entries).toEqual(second.expected);
    history.forget(first);
    const reader = newReader({ history, blobs });
    expect((await reader.read(second.location, second.at)).entries).toEqual(second.expected);
  });

  test('a damaged segment counts as missing', async () => {
    const blobs = await newStore();
    const { third, runs } = await threeRuns(blobs);
    const other = await newStore();
    const damaged: BlobStore = {
      ...other,
      get: (conversation, sha256) =>
        sha256 === third.segment?.blob
          ? other.get(conversation, sha256)
          : blobs.get(conversation, sha256),
    };
    const reader = newReader({ history: historyOf(runs), blobs: damaged });
    expect((await reader.read(third.location, third.at)).entries).toEqual(third.expected);
  });
});
