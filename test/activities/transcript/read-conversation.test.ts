import { randomBytes } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createPayloadDecoder } from '../../../src/activities/transcript/payload-decoder.ts';
import { readConversationFrom } from '../../../src/activities/transcript/read-conversation.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { resultEntryOf } from '../../../src/core/result-entry.ts';
import { encryptingCodec } from '../../support/encrypting-codec.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { callInputOf } from '../../support/sample-outputs.ts';
import { newStore } from './new-reader.ts';

function readRuns(
  runs: readonly RecordedRun[],
  options: { readonly blobs?: BlobStore; readonly codecs?: readonly PayloadCodec[] } = {},
) {
  const newest = runs.at(-1);
  if (newest === undefined) throw new Error('no run');
  return readConversationFrom({
    history: historyOf(runs),
    decode: createPayloadDecoder(options.codecs ?? []),
    location: newest.location,
    agent: 'support',
    status: 'RUNNING',
    blobs: options.blobs,
  });
}

async function twoRuns(blobs: BlobStore) {
  const first = await RecordedRun.begin();
  await first.pair('one');
  first.user('asked before the hand-over');
  const segment = await first.handOver(blobs);
  const second = await RecordedRun.begin({
    continues: first,
    segment,
    input: { resumed: { segment } },
  });
  await second.model('answered after it');
  return { first, second };
}

const entriesOf = (record: Awaited<ReturnType<typeof readRuns>>) =>
  record.entries.map(({ entry }) => entry);

describe('a conversation is read for people', () => {
  test('with headers that say what each entry is, where and when it was recorded', async () => {
    const run = await RecordedRun.begin();
    await run.pair('where is my order?');
    const record = await readRuns([run]);
    expect(entriesOf(record)).toEqual(run.expected);
    expect(record).toMatchObject({
      hasFirstRun: true,
      hasFirstEntry: true,
      runs: [run.location.runId],
    });
    const at = { run: run.location.runId };
    expect(record.entries.map(({ header }) => header)).toMatchObject([
      {
        n: 0,
        kind: 'user',
        turn: 1,
        step: 0,
        preview: 'where is my order?',
        at: { ...at, inputOf: '1.1.model', item: 0 },
      },
      { n: 1, kind: 'assistant', turn: 1, step: 1, at: { ...at, activityId: '1.1.model' } },
      {
        n: 2,
        kind: 'result',
        outcome: 'ok',
        tool: 'lookup',
        preview: 'result of where is my order?',
        at: { ...at, activityId: '1.1.0' },
      },
      {
        n: 3,
        kind: 'assistant',
        preview: 'answer to where is my order?',
        at: { ...at, activityId: '1.2.model' },
      },
    ]);
    expect(record.entries[3]).toMatchObject({
      text: 'answer to where is my order?',
      at: expect.stringMatching(/^2030-01-01T00:00:00\.\d{3}Z$/) as string,
    });
  });

  test('up to what the running completion was given', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    run.user('two');
    await run.schedule('2.1.model', 'perdure.model', run.modelInput());
    expect(entriesOf(await readRuns([run]))).toEqual(run.expected);
  });

  test('with the results of a batch that is not complete, in call order', async () => {
    const run = await RecordedRun.begin();
    run.user('three calls');
    const [first, second, third] = [run.plan(0), run.plan(1), run.plan(2)];
    await run.model({ calls: 3 }, { calls: [first, second, third] });
    await run.result(third, 'third');
    await run.schedule('1.1.1', second.tool, callInputOf(second));
    await run.result(first, 'first');
    const entries = entriesOf(await readRuns([run]));
    expect(entries.slice(2)).toMatchObject([
      { index: 0, content: 'first' },
      { index: 2, content: 'third' },
    ]);
    expect(entries).toHaveLength(4);
  });

  test('without a turn that was given up, though its calls are listed', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    run.user('two');
    const call = run.plan(0);
    await run.model('given up', { givenUp: true, calls: [call] });
    await run.activity('2.1.0', call.tool, callInputOf(call), {
      outcome: 'cancelled',
      effect: 'unknown',
      content: 'cancelled',
      digest: 'd',
      size: 1,
      tokens: 1,
    });
    run.inline({
      kind: 'note',
      turn: 2,
      step: 1,
      code: 'stopped',
      text: '[interrupted]',
      shown: true,
      at: '',
    });
    await run.pair('three');
    const record = await readRuns([run]);
    expect(entriesOf(record)).toEqual(run.expected);
    expect(record.calls.map(({ result }) => [result?.outcome, result?.inTranscript])).toEqual([
      ['ok', true],
      ['cancelled', false],
      ['ok', true],
    ]);
  });

  test('of a closed conversation to its last entry, which its last segment was given', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    run.inline({
      kind: 'note',
      turn: 1,
      step: 2,
      code: 'turn_ended',
      text: 'max_steps',
      shown: false,
      at: '',
    });
    await run.handOver(await newStore());
    expect(entriesOf(await readRuns([run]))).toEqual(run.expected);
  });

  test('over all runs: from the segments, or without a store from the histories', async () => {
    const blobs = await newStore();
    const { first, second } = await twoRuns(blobs);
    for (const options of [{ blobs }, {}]) {
      const record = await readRuns([first, second], options);
      expect(entriesOf(record)).toEqual(second.expected);
      expect(record).toMatchObject({
        hasFirstRun: true,
        hasFirstEntry: true,
        run: second.location.runId,
      });
      expect(record.runs).toEqual([first.location.runId, second.location.runId]);
      expect(record.calls).toHaveLength(1);
    }
  });

  test('whose first run is gone: whole from the segments, else what is left, and it says so', async () => {
    const blobs = await newStore();
    const { second } = await twoRuns(blobs);
    const whole = await readRuns([second], { blobs });
    expect(entriesOf(whole)).toEqual(second.expected);
    expect(whole).toMatchObject({ hasFirstRun: false, hasFirstEntry: true, calls: [] });
    const left = await readRuns([second]);
    expect(entriesOf(left)).toEqual(second.expected.slice(5));
    expect(left).toMatchObject({ hasFirstRun: false, hasFirstEntry: false });
    expect(left.entries[0]?.header.n).toBe(5);
  });

  test('in a run that only just began, with what it was handed', async () => {
    const blobs = await newStore();
    const first = await RecordedRun.begin();
    first.user('two calls');
    const [done, waiting] = [first.plan(0), first.plan(1, { verdict: 'ask' })];
    await first.model({ calls: 2 }, { calls: [done, waiting] });
    const output = await first.result(done, 'done');
    const [item] = first.items.splice(0);
    first.since = [];
    if (item === undefined || 'entry' in item) throw new Error('one result');
    const segment = await first.handOver(blobs, [item], [resultEntryOf(done, output)]);
    const batch = {
      plan: [done, waiting],
      settled: [{ item: { ...item, segment: segment.blob } }, null],
    };
    const second = await RecordedRun.begin({
      continues: first,
      segment,
      input: { resumed: { segment, items: [], batch } },
    });
    const record = await readRuns([second], { blobs });
    expect(entriesOf(record)).toEqual([...first.expected, resultEntryOf(done, output)]);
    expect(record.calls.map(({ planned }) => planned.key)).toEqual([done.key, waiting.key]);
    await second.result(waiting, 'approved');
    expect(entriesOf(await readRuns([second], { blobs }))).toHaveLength(4);
  });

  test('that has nothing yet is empty', async () => {
    expect(await readRuns([await RecordedRun.begin()])).toMatchObject({
      entries: [],
      calls: [],
      hasFirstEntry: true,
    });
  });

  test('through the payload codecs; without them nothing can be read, and nothing fails', async () => {
    const codecs = [encryptingCodec(randomBytes(32))];
    const run = await RecordedRun.begin({ codecs });
    await run.pair('one');
    expect(entriesOf(await readRuns([run], { codecs }))).toEqual(run.expected);
    expect(entriesOf(await readRuns([run]))).toEqual([]);
  });
});
