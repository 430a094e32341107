import type { PayloadCodec } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { chainDigest, digestOf } from '../../../src/activities/transcript/digest.ts';
import { TranscriptMismatch } from '../../../src/activities/transcript/transcript-mismatch.ts';
import type { Entry } from '../../../src/core/entry.ts';
import { resultEntryOf } from '../../../src/core/result-entry.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { callInputOf, callOutputOf, modelOutputOf } from '../../support/sample-outputs.ts';
import { newReader, newStore } from './new-reader.ts';

const blobs = await newStore();

function transcriptOf(entries: readonly Entry[]) {
  const digests = entries.map((entry) => digestOf(entry));
  return {
    beginning: { from: 0, digest: null },
    entries,
    digests,
    digest: digests.reduce<string | null>(chainDigest, null),
  };
}

describe('a transcript is read from history', () => {
  test('that has nothing yet', async () => {
    const run = await RecordedRun.begin();
    const history = historyOf([run]);
    const reader = newReader({ history, blobs });
    expect(await reader.read(run.location, run.at)).toEqual(transcriptOf([]));
    run.user('first');
    expect(await reader.read(run.location, run.at)).toEqual(transcriptOf(run.expected));
    expect(history.pages).toBe(0);
  });

  test('whole, by a worker that has none of it', async () => {
    const run = await RecordedRun.begin();
    for (const text of ['one', 'two', 'three']) await run.pair(text);
    run.user('four');
    for (const pageSize of [1, 2, 3, 7, 1000]) {
      const reader = newReader({ history: historyOf([run], { pageSize }), blobs });
      expect(await reader.read(run.location, run.at)).toEqual(transcriptOf(run.expected));
    }
  });

  test('only as far back as what the worker has', async () => {
    const run = await RecordedRun.begin();
    for (let n = 0; n < 20; n++) await run.pair(`question ${n}`);
    const history = historyOf([run], { pageSize: 5 });
    const reader = newReader({ history, blobs });
    await reader.read(run.location, run.at);
    await run.pair('another question');
    history.pages = 0;
    expect(await reader.read(run.location, run.at)).toEqual(transcriptOf(run.expected));
    expect(history.pages).toBeLessThanOrEqual(3);
    expect(reader.statistics).toMatchObject({ hits: 0, gaps: 2 });
  });

  test('with results in call order, however they finished', async () => {
    const run = await RecordedRun.begin();
    run.user('three at once');
    const calls = [0, 1, 2].map((index) => run.plan(index));
    await run.model({ calls: 3 }, { calls });
    const scheduled: number[] = [];
    for (const call of calls) {
      scheduled.push(await run.schedule(`1.1.${call.index}`, call.tool, callInputOf(call)));
    }
    for (const index of [2, 0, 1]) {
      const [call, id] = [calls[index], scheduled[index]];
      if (call === undefined || id === undefined) throw new Error('no such call');
      await run.complete(id, callOutputOf(call, `result ${index}`));
    }
    for (const call of calls) {
      const output = callOutputOf(call, `result ${call.index}`);
      run.items.push({ activityId: `1.1.${call.index}`, digest: output.digest });
    }
    const { entries } = await newReader({ history: historyOf([run], { pageSize: 2 }), blobs }).read(
      run.location,
      run.at,
    );
    expect(entries.slice(2)).toMatchObject([
      { index: 0, content: 'result 0' },
      { index: 1, content: 'result 1' },
      { index: 2, content: 'result 2' },
    ]);
  });

  test('with reruns, reconciled calls, and results that no activity made', async () => {
    const run = await RecordedRun.begin();
    run.user('go');
    const calls = [0, 1, 2].map((index) => run.plan(index));
    const failed = await run.schedule('1.1.model', 'perdure.model', run.modelInput());
    run.add({ activityTaskFailedEventAttributes: { scheduledEventId: failed } as never });
    await run.model({ calls: 3 }, { calls, activityId: '1.1.model#2' });
    const [rerun, reconciled, denied] = calls;
    if (!rerun || !reconciled || !denied) throw new Error('three calls');
    await run.result(rerun, 'second attempt', { suffix: '#2' });
    const output = callOutputOf(reconciled, 'it had happened');
    await run.activity('1.1.1.reconcile', 'perdure.reconcile', callInputOf(reconciled), {
      status: 'done',
      output,
    });
    run.items.push({ activityId: '1.1.1.reconcile', digest: output.digest });
    run.since.push(resultEntryOf(reconciled, output));
    run.inline({
      kind: 'result',
      turn: 1,
      step: 1,
      index: 2,
      key: denied.key,
      callId: denied.callId,
      tool: denied.tool,
      outcome: 'denied',
      effect: 'none',
      content: 'no',
    });
    await run.model('done');
    const { entries } = await newReader({ history: historyOf([run]), blobs }).read(
      run.location,
      run.at,
    );
    expect(entries.map(({ kind }) => kind)).toEqual([
      'user',
      'assistant',
      'result',
      'result',
      'result',
      'assistant',
    ]);
    expect(entries.slice(2, 5)).toMatchObject([
      { content: 'second attempt' },
      { content: 'it had happened' },
      { outcome: 'denied' },
    ]);
  });

  test('without a turn that was recorded but given up', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    run.user('two');
    await run.model('given up', { givenUp: true });
    run.inline({
      kind: 'note',
      turn: 2,
      step: 1,
      code: 'stopped',
      text: 'stopped',
      shown: true,
      at: '',
    });
    await run.pair('three');
    const { entries } = await newReader({ history: historyOf([run]), blobs }).read(
      run.location,
      run.at,
    );
    expect(entries).toEqual(run.expected);
    expect(JSON.stringify(entries)).not.toContain('given up');
  });

  test('from the copied history of a workflow that was reset', async () => {
    const run = await RecordedRun.begin();
    for (const text of ['one', 'two']) await run.pair(text);
    const reset = await RecordedRun.begin();
    reset.events.splice(0, 1, ...run.events);
    const reader = newReader({ history: historyOf([reset]), blobs });
    expect(await reader.read(reset.location, run.at)).toEqual(transcriptOf(run.expected));
  });
});

describe('what does not add up is never sent to a model', () => {
  test('a result that is not what its digest says is refused, naming its activity', async () => {
    const run = await RecordedRun.begin();
    run.user('go');
    const call = run.plan(0);
    await run.model({}, { calls: [call] });
    const output = { ...callOutputOf(call, 'as it was'), content: 'as somebody changed it' };
    await run.activity('1.1.0', call.tool, callInputOf(call), output);
    run.items.push({ activityId: '1.1.0', digest: output.digest });
    const reading = newReader({ history: historyOf([run]), blobs }).read(run.location, run.at);
    await expect(reading).rejects.toThrow(TranscriptMismatch);
    await expect(reading).rejects.toThrow(/activity 1\.1\.0 recorded an entry with digest/);
  });

  test('a turn whose input is not what it was made from is refused', async () => {
    const run = await RecordedRun.begin();
    run.user('one');
    run.user('two');
    const output = modelOutputOf(
      { turn: 2, step: 1, position: run.position, since: run.since },
      'answer to both',
    );
    const input = { ...run.modelInput(), items: run.items.slice(0, 1) };
    await run.activity('2.1.model', 'perdure.model', input, output);
    const position = { run: '', count: output.count, digest: output.transcriptDigest };
    const reading = newReader({ history: historyOf([run]), blobs }).read(run.location, {
      position,
      items: [],
    });
    await expect(reading).rejects.toThrow(
      /activity 2\.1\.model recorded 3 entries .* its entries are 2/,
    );
  });

  test('what could not be read is read again before it is refused', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    let failures = 1;
    const codec: PayloadCodec = {
      encode: (payloads) => Promise.resolve(payloads),
      decode: (payloads) => {
        failures -= 1;
        return failures < 0 ? Promise.resolve(payloads) : Promise.reject(new Error('no key'));
      },
    };
    const reader = newReader({ history: historyOf([run]), blobs, payloadCodecs: [codec] });
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
    expect(reader.statistics.gaps).toBe(2);
  });

  test('a position that no recorded turn leads to is refused, naming the newest turn', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    const position = { ...run.position, digest: 'f'.repeat(64) };
    const reading = newReader({ history: historyOf([run]), blobs }).read(run.location, {
      position,
      items: [],
    });
    await expect(reading).rejects.toMatchObject({
      name: 'TranscriptMismatch',
      expected: { count: 4, digest: position.digest },
    });
    await expect(reading).rejects.toThrow(`1.2.model, ends at entry 4 with ${run.position.digest}`);
  });

  test('a result that is nowhere is refused, naming its activity', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    run.items.push({ activityId: '9.9.9', digest: 'e'.repeat(64) });
    const reading = newReader({ history: historyOf([run]), blobs }).read(run.location, run.at);
    await expect(reading).rejects.toThrow('no recorded result of 9.9.9');
  });

  test('a count that does not fit the digest is refused', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    const position = { ...run.position, count: 7 };
    const reading = newReader({ history: historyOf([run]), blobs }).read(run.location, {
      position,
      items: [],
    });
    await expect(reading).rejects.toThrow("that digest is entry 4's");
  });
});
