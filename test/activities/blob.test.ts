import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { createBlobActivity } from '../../src/activities/blob.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { loadValue } from '../../src/blobs/stored-value.ts';
import type { BlobInput, BlobOutput } from '../../src/core/activity-shapes.ts';
import { slicesOf } from '../../src/core/slices.ts';
import { newStore } from './transcript/new-reader.ts';

const CONVERSATION = 'order-7';

async function keepSlice(blobs: BlobStore, input: BlobInput): Promise<BlobOutput> {
  const workflowExecution = { workflowId: CONVERSATION, runId: 'run-1' };
  const environment = new MockActivityEnvironment(
    {
      activityType: 'perdure.blob',
      workflowExecution,
    },
    { logger: new DefaultLogger('ERROR', () => undefined) },
  );
  return environment.run(createBlobActivity({ blobs }), input);
}

/** As the workflow does it: one activity per slice. */
async function keep(blobs: BlobStore, value: unknown, characters: number) {
  const slices = slicesOf(JSON.stringify(value), characters);
  const after: string[] = [];
  for (const [index, slice] of slices.entries()) {
    const last = index === slices.length - 1;
    const { reference } = await keepSlice(blobs, { slice, after, last });
    if (last) return reference;
    after.push(reference.blob);
  }
  throw new Error('no slices');
}

describe('perdure.blob', () => {
  test('joins the slices of a value into its blob, whatever they cut', async () => {
    const blobs = await newStore();
    const values = [
      'plain '.repeat(1000),
      'é😀\ud800"\\'.repeat(300),
      { a: ['😀'.repeat(500)] },
      [{ type: 'text', text: 'x'.repeat(2000) }],
      '',
    ];
    for (const value of values) {
      const reference = await keep(blobs, value, 97);
      expect(await loadValue<unknown>(blobs, CONVERSATION, reference)).toEqual(value);
      const size = (await blobs.get(CONVERSATION, reference.blob)).length;
      expect(reference).toMatchObject({ size });
    }
  });

  test('shows the words of a content, the JSON of anything else', async () => {
    const blobs = await newStore();
    expect(await keep(blobs, 'hello', 1000)).toMatchObject({ preview: 'hello' });
    expect(await keep(blobs, [{ type: 'text', text: 'hello' }], 1000)).toMatchObject({
      preview: 'hello',
    });
    expect(await keep(blobs, { a: 1 }, 1000)).toMatchObject({ preview: '{"a":1}' });
    expect(await keep(blobs, [{ type: 'text' }], 1000)).toMatchObject({
      preview: '[{"type":"text"}]',
    });
  });

  test('tells a store that is away, or not the conversation’s, from a slice that is gone', async () => {
    const blobs = await newStore();
    const away: BlobStore = {
      ...blobs,
      put: () => Promise.reject(new Error('connection refused')),
    };
    await expect(keep(away, 'hello', 1000)).rejects.toMatchObject({ type: 'StoreUnavailable' });
    const foreign = keepSlice(blobs, { slice: '"', after: [], last: true, store: 'another' });
    await expect(foreign).rejects.toMatchObject({ type: 'StoreUnavailable' });
    await expect(foreign).rejects.toThrow('began with the blob store another');
    const gone = keepSlice(blobs, { slice: '"', after: ['0'.repeat(64)], last: true });
    await expect(gone).rejects.toMatchObject({ type: 'BlobMissing' });
  });
});
