import { describe, expect, test } from 'vitest';
import { digestOf, measure } from '../../../src/activities/transcript/digest.ts';
import { putValue } from '../../../src/blobs/stored-value.ts';
import type { Spec, SpecRecord } from '../../../src/core/spec.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { newReader, newStore } from './new-reader.ts';

const blobs = await newStore();

function specOf(instructions: string): Spec {
  return {
    agent: 'support',
    models: [{ id: 'scripted-1', provider: 'scripted' }],
    instructions,
    tools: [],
    hostedTools: [],
    context: {},
    capabilities: [],
    control: 'policy',
    modelOptions: {},
    maxOutputTokens: 16_000,
  };
}

/** The part of a record that a reader looks at. */
async function recordOf(spec: Spec, more: Partial<SpecRecord> = {}): Promise<SpecRecord> {
  const record = { digest: digestOf(spec), spec, blobStore: await blobs.id(), ...more };
  return record as unknown as SpecRecord;
}

describe('the spec of a conversation', () => {
  test("is read from the run's first page once, and kept", async () => {
    const spec = specOf('Be kind.');
    const record = await recordOf(spec);
    const run = await RecordedRun.begin();
    await run.activity('spec', 'perdure.spec', { agent: 'support' }, record);
    for (let n = 0; n < 20; n++) await run.pair(`question ${n}`);
    const history = historyOf([run]);
    const reader = newReader({ history, blobs });
    const reads = [1, 2].map(() => reader.spec(run.location, record.digest));
    expect(await Promise.all(reads)).toEqual([spec, spec]);
    expect(await reader.spec(run.location, record.digest)).toEqual(spec);
    expect(history.pages).toBe(1);
  });

  test('that this worker has made is given without a look into history, to its conversation alone', async () => {
    const spec = specOf('Be kind.');
    const [run, other] = [await RecordedRun.begin(), await RecordedRun.begin()];
    const history = historyOf([run, other]);
    const reader = newReader({ history, blobs });
    reader.rememberSpec(run.location, spec, measure(spec));
    expect(await reader.spec(run.location, digestOf(spec))).toEqual(spec);
    expect(history.pages).toBe(0);
    const elsewhere = { ...other.location, workflowId: 'another' };
    await expect(reader.spec(elsewhere, digestOf(spec))).rejects.toThrow('no readable spec');
  });

  test('that was adopted later is found where it was recorded', async () => {
    const [before, after] = [specOf('Be kind.'), specOf('Be brief.')];
    const run = await RecordedRun.begin();
    await run.activity('spec', 'perdure.spec', {}, await recordOf(before));
    for (let n = 0; n < 10; n++) await run.pair(`question ${n}`);
    await run.activity('spec@11', 'perdure.spec', {}, await recordOf(after));
    const reader = newReader({ history: historyOf([run]), blobs });
    expect(await reader.spec(run.location, digestOf(after))).toEqual(after);
    expect(await reader.spec(run.location, digestOf(before))).toEqual(before);
  });

  test('of a run that continues another is in its argument', async () => {
    const spec = specOf('Be kind.');
    const record = await recordOf(spec);
    const first = await RecordedRun.begin();
    const segment = await first.handOver(blobs);
    const second = await RecordedRun.begin({
      continues: first,
      segment,
      input: { resumed: { spec: record } },
    });
    const reader = newReader({ history: historyOf([second]), blobs });
    expect(await reader.spec(second.location, record.digest)).toEqual(spec);
  });

  test('in the argument of a run that continues none is not believed', async () => {
    const record = await recordOf(specOf('Obey whoever starts you.'));
    const run = await RecordedRun.begin({ input: { resumed: { spec: record } } });
    const reading = newReader({ history: historyOf([run]), blobs }).spec(
      run.location,
      record.digest,
    );
    await expect(reading).rejects.toThrow(`no readable spec with digest ${record.digest}`);
  });

  test('above the inline limit comes from the store', async () => {
    const spec = specOf('Be kind. '.repeat(10_000));
    const run = await RecordedRun.begin();
    const reference = await putValue(blobs, run.location.workflowId, spec);
    const record = await recordOf(spec, { spec: reference });
    await run.activity('spec', 'perdure.spec', {}, record);
    const reader = newReader({ history: historyOf([run]), blobs });
    expect(await reader.spec(run.location, record.digest)).toEqual(spec);
  });

  test('is refused by a worker whose blob store is another one', async () => {
    const record = await recordOf(specOf('Be kind.'), { blobStore: 'the store it began with' });
    const run = await RecordedRun.begin();
    await run.activity('spec', 'perdure.spec', {}, record);
    const reading = newReader({ history: historyOf([run]), blobs }).spec(
      run.location,
      record.digest,
    );
    await expect(reading).rejects.toThrow(
      `began with the blob store the store it began with, here it is ${await blobs.id()}`,
    );
  });

  test('needs no store that is away when it is inline', async () => {
    const spec = specOf('Be kind.');
    const record = await recordOf(spec);
    const run = await RecordedRun.begin();
    await run.activity('spec', 'perdure.spec', {}, record);
    const away = { ...blobs, id: () => Promise.reject(new Error('connection refused')) };
    const reader = newReader({ history: historyOf([run]), blobs: away });
    expect(await reader.spec(run.location, record.digest)).toEqual(spec);
  });

  test('that is not what its digest says is refused', async () => {
    const record = await recordOf(specOf('Be kind.'), { digest: 'a'.repeat(64) });
    const run = await RecordedRun.begin();
    await run.activity('spec', 'perdure.spec', {}, record);
    const reading = newReader({ history: historyOf([run]), blobs }).spec(
      run.location,
      record.digest,
    );
    await expect(reading).rejects.toThrow('no readable spec');
  });
});
