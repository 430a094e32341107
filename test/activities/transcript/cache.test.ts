import { describe, expect, test } from 'vitest';
import { chainDigest, digestOf } from '../../../src/activities/transcript/digest.ts';
import type { Transcript } from '../../../src/activities/transcript/transcript-reader.ts';
import type { Entry } from '../../../src/core/entry.ts';
import { resultEntryOf } from '../../../src/core/result-entry.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { newReader, newStore } from './new-reader.ts';

const blobs = await newStore();

function longer(transcript: Transcript, entry: Entry | undefined): Transcript {
  if (entry === undefined) throw new Error('no entry');
  const digest = digestOf(entry);
  return {
    beginning: transcript.beginning,
    entries: [...transcript.entries, entry],
    digests: [...transcript.digests, digest],
    digest: chainDigest(transcript.digest, digest),
  };
}

async function withOpenBatch(results: readonly string[]) {
  const run = await RecordedRun.begin();
  run.user('go');
  const calls = results.map((_, index) => run.plan(index));
  await run.model({ calls: results.length }, { calls });
  const outputs = [];
  for (const [index, call] of calls.entries())
    outputs.push(await run.result(call, results[index] ?? ''));
  return { run, calls, outputs };
}

describe("a worker's own results", () => {
  test('need no history: each completion and each result is taken as it is made', async () => {
    const run = await RecordedRun.begin();
    const history = historyOf([run]);
    const reader = newReader({ history, blobs });
    for (const text of ['one', 'two', 'three']) {
      run.user(text);
      const before = await reader.read(run.location, run.at);
      const call = run.plan(0);
      await run.model({ calls: [text] }, { calls: [call] });
      reader.keep(run.location, longer(before, run.expected.at(-1)));
      const output = await run.result(call, `result of ${text}`);
      reader.remember(run.location, `${run.turn}.1.0`, resultEntryOf(call, output), output.digest);
      const after = await reader.read(run.location, run.at);
      await run.model('answer');
      reader.keep(run.location, longer(after, run.expected.at(-1)));
    }
    const { entries } = await reader.read(run.location, run.at);
    expect(entries).toEqual(run.expected);
    expect(reader.statistics).toMatchObject({ hits: 7, gaps: 0, historyPages: 0 });
    expect(history.pages).toBe(0);
  });

  test('that the server refused are never seen: the workflow names what was recorded instead', async () => {
    const { run, calls, outputs } = await withOpenBatch(['recorded']);
    const reader = newReader({ history: historyOf([run]), blobs });
    const [call, output] = [calls[0], outputs[0]];
    if (!call || !output) throw new Error('one call');
    const refused: Entry = { ...resultEntryOf(call, output), content: 'too large for the server' };
    reader.remember(run.location, '1.1.0', refused, digestOf(refused));
    const { entries } = await reader.read(run.location, run.at);
    expect(entries).toEqual(run.expected);
  });

  test('of a completion that was given up are replaced by what followed', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    const reader = newReader({ history: historyOf([run]), blobs });
    run.user('two');
    const before = await reader.read(run.location, run.at);
    await run.model('given up', { givenUp: true });
    reader.keep(
      run.location,
      longer(before, {
        kind: 'assistant',
        turn: 2,
        step: 1,
        format: 'scripted',
        model: 'scripted-1',
        raw: 'given up',
      }),
    );
    run.inline({
      kind: 'note',
      turn: 2,
      step: 1,
      code: 'stopped',
      text: 'stopped',
      shown: true,
      at: '',
    });
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
    await run.model('in its place');
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
  });

  test('with a wrong digest are refused at once', async () => {
    const { run, calls, outputs } = await withOpenBatch(['as it was']);
    const history = historyOf([run]);
    const warnings: string[] = [];
    const log = { debug: () => undefined, warn: (message: string) => warnings.push(message) };
    const reader = newReader({ history, blobs, log });
    const [call, output] = [calls[0], outputs[0]];
    if (!call || !output) throw new Error('one call');
    const other: Entry = { ...resultEntryOf(call, output), content: 'something else' };
    reader.remember(run.location, '1.1.0', other, output.digest);
    const transcript = await reader.read(run.location, run.at);
    expect(transcript.entries).toEqual(run.expected);
    reader.keep(run.location, { ...longer(transcript, other), digest: 'f'.repeat(64) });
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
    expect(warnings).toMatchObject(
      [/^A result is not remembered/, /^A transcript is not kept/].map(
        (words) => expect.stringMatching(words) as string,
      ),
    );
  });

  test('of one step give way to those of the next on a worker that only runs tools', async () => {
    const { run, calls, outputs } = await withOpenBatch(['x'.repeat(1000)]);
    const reader = newReader({ history: historyOf([run]), blobs });
    const [call, output] = [calls[0], outputs[0]];
    if (!call || !output) throw new Error('one call');
    reader.remember(run.location, '1.1.0', resultEntryOf(call, output), output.digest);
    const { bytes } = reader.statistics;
    for (let step = 2; step < 50; step++) {
      const entry = { ...resultEntryOf(call, output), step };
      reader.remember(run.location, `1.${step}.0`, entry, digestOf(entry));
    }
    expect(reader.statistics.bytes).toBeLessThan(bytes * 1.1);
  });
});

describe('the copies of a worker', () => {
  test('stay within their memory: the conversation that was used least gives way', async () => {
    const runs: RecordedRun[] = [];
    for (let n = 0; n < 5; n++) {
      const run = await RecordedRun.begin({ workflowId: `order-${n}` });
      await run.pair('x'.repeat(10_000));
      runs.push(run);
    }
    const reader = newReader({ history: historyOf(runs), blobs, maxBytes: 400_000 });
    for (const run of runs) await reader.read(run.location, run.at);
    expect(reader.statistics.bytes).toBeLessThanOrEqual(400_000);
    const [oldest, newest] = [runs[0], runs[4]];
    if (!oldest || !newest) throw new Error('five runs');
    await reader.read(newest.location, newest.at);
    expect(reader.statistics).toMatchObject({ gaps: 5, hits: 1 });
    expect((await reader.read(oldest.location, oldest.at)).entries).toEqual(oldest.expected);
    expect(reader.statistics).toMatchObject({ gaps: 6, hits: 1 });
  });

  test('are counted at the size to which they have grown', async () => {
    const run = await RecordedRun.begin();
    const reader = newReader({ history: historyOf([run]), blobs, maxBytes: 123_457 });
    let before = 0;
    for (let n = 0; n < 20; n++) {
      await run.pair('x'.repeat(1_000));
      await reader.read(run.location, run.at);
      const { bytes } = reader.statistics;
      expect(bytes).toBeLessThan(123_457);
      if (n < 3) expect(bytes).toBeGreaterThan(before);
      before = bytes;
    }
    expect(before).toBe(0);
  });

  test('are not needed: a conversation larger than the memory is read each time', async () => {
    const run = await RecordedRun.begin();
    await run.pair('x'.repeat(10_000));
    const reader = newReader({ history: historyOf([run]), blobs, maxBytes: 1_000 });
    for (let n = 0; n < 2; n++) {
      expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
    }
    expect(reader.statistics.bytes).toBe(0);
  });

  test('are not shared with the caller', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    const reader = newReader({ history: historyOf([run]), blobs });
    const mine = (await reader.read(run.location, run.at)).entries as Entry[];
    mine.length = 0;
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
  });

  test('follow a workflow id that is used again for another conversation', async () => {
    const first = await RecordedRun.begin();
    await first.pair('of the first');
    const second = await RecordedRun.begin();
    await second.pair('of the second');
    const reader = newReader({ history: historyOf([first, second]), blobs });
    for (const run of [first, second, first]) {
      expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
    }
  });

  test('are filled once for readers that come at the same time', async () => {
    const run = await RecordedRun.begin();
    for (let n = 0; n < 5; n++) await run.pair(`question ${n}`);
    const history = historyOf([run], { pageSize: 1000 });
    const reader = newReader({ history, blobs });
    const reads = await Promise.all([1, 2, 3].map(() => reader.read(run.location, run.at)));
    for (const { entries } of reads) expect(entries).toEqual(run.expected);
    expect(history.pages).toBe(1);
  });
});
