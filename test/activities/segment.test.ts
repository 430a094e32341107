import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { createSegmentActivity } from '../../src/activities/segment.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import type { SegmentInput, SegmentOutput } from '../../src/core/activity-shapes.ts';
import type { Segment } from '../../src/core/segment.ts';
import { historyOf } from '../support/history-of-runs.ts';
import { RecordedRun } from '../support/recorded-run.ts';
import { newReader, newStore } from './transcript/new-reader.ts';

async function writeSegment(
  run: RecordedRun,
  blobs: BlobStore,
  input: SegmentInput,
  transcripts = newReader({ history: historyOf([run]), blobs }),
): Promise<SegmentOutput> {
  const { workflowId, runId } = run.location;
  const environment = new MockActivityEnvironment(
    {
      activityType: 'perdure.segment',
      workflowExecution: { workflowId, runId },
      namespace: 'default',
    },
    { logger: new DefaultLogger('ERROR', () => undefined) },
  );
  return environment.run(createSegmentActivity({ blobs, transcripts }), input);
}

async function readSegment(run: RecordedRun, blobs: BlobStore, blob: string): Promise<Segment> {
  const bytes = await blobs.get(run.location.workflowId, blob);
  return JSON.parse(Buffer.from(bytes).toString()) as Segment;
}

async function oneRun() {
  const run = await RecordedRun.begin();
  for (const text of ['one', 'two']) await run.pair(text);
  return run;
}

describe('perdure.segment', () => {
  test("writes the run's entries, what no input has yet last", async () => {
    const blobs = await newStore();
    const run = await oneRun();
    run.user('waiting');
    const output = await writeSegment(run, blobs, {
      position: run.position,
      items: run.items,
      loose: [],
      previous: null,
    });
    const segment = await readSegment(run, blobs, output.blob);
    expect(segment).toMatchObject({ previous: null, from: 0, entries: run.expected, loose: {} });
    expect(output).toMatchObject({ count: 9, itemDigests: [segment.digests[8]] });
  });

  test('leaves the older entries to the segment before it', async () => {
    const blobs = await newStore();
    const first = await oneRun();
    const previous = await writeSegment(first, blobs, {
      position: first.position,
      items: [],
      loose: [],
      previous: null,
    });
    const second = await RecordedRun.begin({
      continues: first,
      segment: previous,
      input: { resumed: { segment: previous } },
    });
    await second.pair('three');
    const output = await writeSegment(second, blobs, {
      position: second.position,
      items: [],
      loose: [],
      previous,
    });
    expect(await readSegment(second, blobs, output.blob)).toMatchObject({
      previous: previous.blob,
      from: 8,
      entries: second.expected.slice(8),
    });
    expect(output).toMatchObject({ count: 12, digest: second.position.digest });
  });

  test('keeps results of an open batch beside the entries, by activity', async () => {
    const blobs = await newStore();
    const run = await RecordedRun.begin();
    run.user('two calls');
    const calls = [run.plan(0), run.plan(1)];
    await run.model({ calls: 2 }, { calls });
    const [first] = calls;
    if (first === undefined) throw new Error('two calls');
    const { digest } = await run.result(first, 'done');
    const loose = [{ activityId: '1.1.0', digest }];
    const output = await writeSegment(run, blobs, {
      position: run.position,
      items: [],
      loose,
      previous: null,
    });
    const segment = await readSegment(run, blobs, output.blob);
    expect(segment.entries).toHaveLength(2);
    expect(segment.loose).toMatchObject({ '1.1.0': { kind: 'result', content: 'done' } });
    expect(output).toMatchObject({ count: 2, digest: run.position.digest, itemDigests: [] });
  });

  test('leaves the transcript with its worker: the next run begins without the store', async () => {
    const blobs = await newStore();
    const first = await oneRun();
    first.user('waiting');
    const history = historyOf([first]);
    const transcripts = newReader({ history, blobs });
    const input = { position: first.position, items: first.items, loose: [], previous: null };
    const segment = await writeSegment(first, blobs, input, transcripts);
    const second = await RecordedRun.begin({ continues: first, segment });
    history.pages = 0;
    await blobs.deleteConversation(first.location.workflowId);
    const { entries } = await transcripts.read(second.location, second.at);
    expect(entries).toEqual(second.expected);
    expect(history.pages).toBe(0);
  });

  test('writes the same blob when its first attempt was lost', async () => {
    const blobs = await newStore();
    const run = await oneRun();
    const input = { position: run.position, items: [], loose: [], previous: null };
    expect(await writeSegment(run, blobs, input)).toEqual(await writeSegment(run, blobs, input));
  });

  test('of a conversation that has nothing yet is empty', async () => {
    const blobs = await newStore();
    const run = await RecordedRun.begin();
    const output = await writeSegment(run, blobs, {
      position: run.position,
      items: [],
      loose: [],
      previous: null,
    });
    expect(output).toMatchObject({ count: 0, digest: null, itemDigests: [] });
  });

  test('is not written into a store that is not the conversation’s', async () => {
    const blobs = await newStore();
    const run = await oneRun();
    const input = { position: run.position, items: [], loose: [], previous: null };
    const writing = writeSegment(run, blobs, { ...input, store: 'another' });
    await expect(writing).rejects.toMatchObject({ type: 'StoreUnavailable' });
    await expect(writing).rejects.toThrow('began with the blob store another');
    expect(await blobs.holdings(run.location.workflowId)).toMatchObject({ blobs: 0 });
    const { blob } = await writeSegment(run, blobs, { ...input, store: await blobs.id() });
    expect(await readSegment(run, blobs, blob)).toMatchObject({ from: 0 });
  });

  test('fails as worth another attempt when the store is away', async () => {
    const run = await oneRun();
    const blobs: BlobStore = {
      ...(await newStore()),
      put: () => Promise.reject(new Error('disk full')),
    };
    const writing = writeSegment(run, blobs, {
      position: run.position,
      items: [],
      loose: [],
      previous: null,
    });
    await expect(writing).rejects.toMatchObject({ type: 'StoreUnavailable', nonRetryable: true });
    await expect(writing).rejects.toThrow(
      'writing the segment failed on the file blob store: disk full',
    );
  });
});
