import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/activities/transcript/digest.ts';
import { createBlobResolver } from '../../../src/activities/transcript/resolve-blobs.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { putValue } from '../../../src/blobs/stored-value.ts';
import type { Content } from '../../../src/core/content.ts';
import type { Entry, ResultEntry } from '../../../src/core/entry.ts';
import type { Stored } from '../../../src/core/stored.ts';
import { newStore } from './new-reader.ts';

const blobs = await newStore();
const CONVERSATION = 'order-7';
const resolve = createBlobResolver(blobs, 1_000_000);

function user(content: Stored<Content>): Entry {
  return { kind: 'user', turn: 1, step: 0, id: 'm1', content, at: '2030-01-01T00:00:00.000Z' };
}

function result(content: Stored<Content>, more: Partial<ResultEntry> = {}): ResultEntry {
  const at = { turn: 1, step: 1, index: 0, key: 'order-7/1.1.0.ab', callId: 'c1', tool: 'lookup' };
  return { kind: 'result', ...at, outcome: 'ok', effect: 'happened', content, ...more };
}

describe('resolving references', () => {
  test('leaves entries without references as they are', async () => {
    const entries = [user('hello'), result([{ type: 'text', text: 'hello' }])];
    const resolved = await resolve(CONVERSATION, entries);
    expect(resolved.missing).toEqual([]);
    expect(resolved.entries.every((entry, index) => entry === entries[index])).toBe(true);
  });

  test('puts texts, turns, images and documents in their place', async () => {
    const image = Buffer.from('not really an image');
    const blob = await blobs.put(CONVERSATION, image);
    const long = 'long '.repeat(20_000);
    const raw = { content: [{ type: 'text', text: long }] };
    const { entries, missing } = await resolve(CONVERSATION, [
      user([
        { type: 'text', text: 'see' },
        { type: 'image', mediaType: 'image/png', blob },
      ]),
      {
        kind: 'assistant',
        turn: 1,
        step: 1,
        format: 'anthropic',
        model: 'm',
        raw: await putValue(blobs, CONVERSATION, raw),
      },
      result(await putValue(blobs, CONVERSATION, long)),
    ]);
    expect(missing).toEqual([]);
    expect(entries).toMatchObject([
      {
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', mediaType: 'image/png', data: image.toString('base64') },
        ],
      },
      { raw },
      { content: long },
    ]);
  });

  test('loads what the model is shown of a result, not its whole content', async () => {
    const whole = { blob: sha256Hex('never loaded'), size: 9_000_000, preview: 'never' };
    const shownAs = await putValue(blobs, CONVERSATION, 'its beginning');
    const { entries, missing } = await resolve(CONVERSATION, [result(whole, { shownAs })]);
    expect(missing).toEqual([]);
    expect(entries).toEqual([result(whole, { shownAs: 'its beginning' })]);
  });

  test('reports what is missing, names it in the text, and leaves everything else usable', async () => {
    const lost = { blob: sha256Hex('lost'), size: 40_000, preview: 'It began so' };
    const image = sha256Hex('lost image');
    const entries = [
      user([{ type: 'image', mediaType: 'image/png', blob: image }]),
      result(lost),
      user('still here'),
    ];
    const resolved = await resolve(CONVERSATION, entries);
    expect(resolved.missing).toEqual([
      { sha256: image, reason: 'absent', entry: { kind: 'user', turn: 1, step: 0 } },
      { sha256: lost.blob, reason: 'absent', entry: { kind: 'result', turn: 1, step: 1 } },
    ]);
    expect(resolved.entries).toEqual([
      user([{ type: 'text', text: `[This image is missing: blob ${image} is not in the store.]` }]),
      entries[1],
      entries[2],
    ]);
  });

  test('asks the store once for what is shown again', async () => {
    let asked = 0;
    const counting: BlobStore = {
      ...blobs,
      get: (...args) => {
        asked += 1;
        return blobs.get(...args);
      },
    };
    const again = createBlobResolver(counting, 1_000_000);
    const entries = [result(await putValue(blobs, CONVERSATION, 'kept'))];
    for (let n = 0; n < 3; n++) await again(CONVERSATION, entries);
    expect(asked).toBe(1);
  });

  test('fails when the store is away: nothing is said to be missing that may be there', async () => {
    const away: BlobStore = {
      ...blobs,
      get: () => Promise.reject(new Error('connection refused')),
    };
    const entries = [result({ blob: sha256Hex('x'), size: 1, preview: '' })];
    await expect(createBlobResolver(away, 1000)(CONVERSATION, entries)).rejects.toThrow(
      'connection refused',
    );
  });
});
