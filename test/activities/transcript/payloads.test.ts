import { randomBytes } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { encryptingCodec } from '../../support/encrypting-codec.ts';
import { historyOf } from '../../support/history-of-runs.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { newReader, newStore } from './new-reader.ts';

const blobs = await newStore();

describe('recorded payloads', () => {
  test('are read through the codecs of the worker, last one first', async () => {
    const codecs = [encryptingCodec(randomBytes(32)), encryptingCodec(randomBytes(32))];
    const run = await RecordedRun.begin({ codecs });
    for (const text of ['one', 'two']) await run.pair(text);
    expect(JSON.stringify(run.events)).not.toContain(Buffer.from('answer to').toString('base64'));
    const reader = newReader({ history: historyOf([run]), blobs, payloadCodecs: codecs });
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
  });

  test('tell the codec whose they are', async () => {
    const contexts: unknown[] = [];
    const codec: PayloadCodec = {
      encode: (payloads) => Promise.resolve(payloads),
      decode: (payloads, context) => {
        contexts.push(context);
        return Promise.resolve(payloads);
      },
    };
    const run = await RecordedRun.begin();
    await run.pair('one');
    await newReader({ history: historyOf([run]), blobs, payloadCodecs: [codec] }).read(
      run.location,
      run.at,
    );
    expect(contexts).toContainEqual({
      type: 'activity',
      namespace: 'default',
      workflowId: 'order-7',
      activityId: '1.1.0',
      isLocal: false,
    });
  });

  test('that nobody can read are an error that says so, when they are needed', async () => {
    const run = await RecordedRun.begin({ codecs: [encryptingCodec(randomBytes(32))] });
    await run.pair('one');
    for (const payloadCodecs of [[], [encryptingCodec(randomBytes(32))]]) {
      const reader = newReader({ history: historyOf([run]), blobs, payloadCodecs });
      const reading = reader.read(run.location, run.at);
      await expect(reading).rejects.toThrow(
        'the record of 1.2.model cannot be read with this payload codec',
      );
    }
  });

  test('of others do not disturb: broken JSON, unknown encodings, other shapes, none at all', async () => {
    const run = await RecordedRun.begin();
    await run.pair('one');
    const foreign = [
      [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{broken') }],
      [{ metadata: { encoding: Buffer.from('x/unknown') }, data: Buffer.from('?') }],
      [{ metadata: {}, data: null }],
      await run.encode({ position: 'none', items: 3, key: 'no-key', callId: 'x', tool: 'x' }),
      await run.encode(null),
      [],
    ];
    for (const [n, payloads] of foreign.entries()) {
      for (const name of ['perdure.model', 'perdure.segment', 'lookup']) {
        const scheduledEventId = run.add({
          activityTaskScheduledEventAttributes: {
            activityId: `7.${n}.${name}`,
            activityType: { name },
            input: { payloads },
          },
        });
        run.add({
          activityTaskCompletedEventAttributes: { scheduledEventId, result: { payloads } } as never,
        });
      }
    }
    const reader = newReader({ history: historyOf([run]), blobs });
    expect((await reader.read(run.location, run.at)).entries).toEqual(run.expected);
  });
});
