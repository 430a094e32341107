import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BlobMissing } from '../../src/blobs/blob-store.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { loadValue, putValue, storeValue } from '../../src/blobs/stored-value.ts';
import { isBlobReference } from '../../src/core/stored.ts';

const CONVERSATION = 'order-7';
const options = { inlineLimitBytes: 20 };

async function newStore() {
  return fileBlobStore({ directory: await mkdtemp(join(tmpdir(), 'perdure-stored-value-')) });
}

describe('a stored value', () => {
  test('stays inline up to the limit, counted in bytes of its JSON', async () => {
    const blobs = await newStore();
    expect(await storeValue(blobs, CONVERSATION, 'x'.repeat(18), options)).toBe('x'.repeat(18));
    const tooLong = await storeValue(blobs, CONVERSATION, 'é'.repeat(10), options);
    expect(tooLong).toMatchObject({ size: 22, preview: 'é'.repeat(10) });
  });

  test('comes back as it was, text and structure alike, lone surrogates included', async () => {
    const blobs = await newStore();
    for (const value of ['long text '.repeat(50), { a: ['long text '.repeat(50)] }, '\ud800']) {
      const reference = await putValue(blobs, CONVERSATION, value);
      expect(isBlobReference(reference)).toBe(true);
      expect(await loadValue<unknown>(blobs, CONVERSATION, reference)).toEqual(value);
    }
  });

  test('that looks like a reference is kept in the store, so that it is not taken for one', async () => {
    const blobs = await newStore();
    const lookAlike = { blob: 'not a blob', size: 1, preview: '' };
    const stored = await storeValue(blobs, CONVERSATION, lookAlike, { inlineLimitBytes: 1000 });
    expect(stored).not.toEqual(lookAlike);
    expect(await loadValue<unknown>(blobs, CONVERSATION, stored)).toEqual(lookAlike);
  });

  test('that the store does not have is named in the error', async () => {
    const blobs = await newStore();
    const lost = { blob: '0'.repeat(64), size: 5, preview: 'lost' };
    await expect(loadValue(blobs, CONVERSATION, lost)).rejects.toThrow(BlobMissing);
  });
});
