import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BlobMissing, type BlobStore } from '../../src/blobs/blob-store.ts';

/** How one kind of blob store is opened, and how its bytes are spoiled behind its back. */
export interface BlobStoreSetup {
  /** A store as another worker would open it: the same place for the same name, and by default. */
  readonly open: (place?: string) => BlobStore;
  /** Replaces the kept bytes of a blob in the default place, as a fault of the medium would. */
  readonly damage: (conversationId: string, sha256: string, bytes: Uint8Array) => Promise<void>;
}

const UNUSUAL_IDS = [
  'a/b/../c',
  '..',
  '.',
  '.store-id',
  '.incoming',
  'Case',
  'case',
  'ends.',
  'sp ace\ttab\nline',
  '100%',
  '%41',
  'ünï→çødé 🚀',
  'back\\slash:"quotes"*?<>|',
  '\u0000nul',
  'half \uD83D pair',
  'half \uD83E pair',
  `${'long/'.repeat(199)}one`,
  `${'long/'.repeat(199)}two`,
  '長'.repeat(1000),
];

/** What every blob store promises; each kind runs it against the real thing. */
export function blobStoreContract(name: string, setUp: () => BlobStoreSetup): void {
  describe(`blob store "${name}"`, () => {
    let setup: BlobStoreSetup;
    let store: BlobStore;
    let count = 0;
    const newId = (): string => `conversation-${++count}`;
    beforeAll(() => {
      setup = setUp();
      store = setup.open();
    });
    afterAll(async () => {
      await store.close();
    });

    test('gives back the bytes under their SHA-256', async () => {
      const id = newId();
      const bytes = randomBytes(70_000);
      const sha256 = await store.put(id, bytes);
      expect(sha256).toBe(sha256Of(bytes));
      expect(await store.has(id, sha256)).toBe(true);
      expect(sha256Of(await store.get(id, sha256))).toBe(sha256);
    });

    test('keeps an empty blob', async () => {
      const id = newId();
      const sha256 = await store.put(id, new Uint8Array());
      expect(await store.get(id, sha256)).toHaveLength(0);
      expect(await store.deleteConversation(id)).toBe(1);
    });

    test('keeps 20 MB', async () => {
      const id = newId();
      const bytes = randomBytes(20_000_000);
      const sha256 = await store.put(id, bytes);
      expect(Buffer.compare(await store.get(id, sha256), bytes)).toBe(0);
    });

    test('keeps a view of a larger buffer as just that view', async () => {
      const id = newId();
      const whole = randomBytes(1000);
      const view = whole.subarray(100, 200);
      expect(Buffer.compare(await store.get(id, await store.put(id, view)), view)).toBe(0);
    });

    test('keeps the same bytes once', async () => {
      const id = newId();
      const bytes = randomBytes(100);
      await store.put(id, bytes);
      await store.put(id, bytes);
      expect(await store.deleteConversation(id)).toBe(1);
    });

    test('takes the same and different bytes from many at once, over several connections', async () => {
      const id = newId();
      const others = [setup.open(), setup.open()];
      const different = Array.from({ length: 20 }, () => randomBytes(5000));
      const puts = [store, ...others].flatMap((each) =>
        different.map((bytes) => each.put(id, bytes)),
      );
      const digests = new Set(await Promise.all(puts));
      expect(digests.size).toBe(20);
      for (const bytes of different) {
        expect(Buffer.compare(await store.get(id, sha256Of(bytes)), bytes)).toBe(0);
      }
      expect(await store.deleteConversation(id)).toBe(20);
      await Promise.all(others.map((other) => other.close()));
    });

    test('says which blob is absent', async () => {
      const id = newId();
      const sha256 = sha256Of(randomBytes(10));
      expect(await store.has(id, sha256)).toBe(false);
      const error = await rejection(store.get(id, sha256));
      expect(error).toBeInstanceOf(BlobMissing);
      expect(error).toMatchObject({ conversationId: id, sha256, reason: 'absent' });
    });

    test.each(['', '../../etc/passwd', 'A'.repeat(64), `${'0'.repeat(63)}/`, "' OR 1=1 --"])(
      'has nothing under %j, which is no digest',
      async (notADigest) => {
        const id = newId();
        await store.put(id, randomBytes(10));
        expect(await store.has(id, notADigest)).toBe(false);
        expect(await rejection(store.get(id, notADigest))).toMatchObject({ reason: 'absent' });
      },
    );

    test('keeps conversations apart, also by the same bytes', async () => {
      const [one, two] = [newId(), newId()];
      const bytes = randomBytes(100);
      const sha256 = await store.put(one, bytes);
      expect(await store.has(two, sha256)).toBe(false);
      await store.put(two, bytes);
      expect(await store.deleteConversation(one)).toBe(1);
      expect(await store.has(one, sha256)).toBe(false);
      expect(await store.get(two, sha256)).toHaveLength(100);
    });

    test('refuses damaged, torn and emptied bytes, and a new put mends them', async () => {
      const id = newId();
      const bytes = randomBytes(1000);
      const sha256 = await store.put(id, bytes);
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(500) ^ 1, 500);
      for (const spoiled of [flipped, bytes.subarray(0, 400), Buffer.alloc(0)]) {
        await setup.damage(id, sha256, spoiled);
        const error = await rejection(store.get(id, sha256));
        expect(error).toBeInstanceOf(BlobMissing);
        expect(error).toMatchObject({ conversationId: id, sha256, reason: 'damaged' });
        expect(await store.put(id, bytes)).toBe(sha256);
        expect(await store.get(id, sha256)).toHaveLength(1000);
      }
    });

    test('deletes a conversation once, and nothing of one that it does not have', async () => {
      const id = newId();
      await store.put(id, randomBytes(10));
      await store.put(id, randomBytes(10));
      expect(await store.deleteConversation(id)).toBe(2);
      expect(await store.deleteConversation(id)).toBe(0);
      expect(await store.deleteConversation(newId())).toBe(0);
    });

    test('loses no put that crosses deletions of its conversation', async () => {
      const id = newId();
      const deleting = (async () => {
        for (let i = 0; i < 10; i++) await store.deleteConversation(id);
      })();
      await Promise.all(Array.from({ length: 20 }, () => store.put(id, randomBytes(100))));
      await deleting;
      const sha256 = await store.put(id, randomBytes(100));
      expect(await store.has(id, sha256)).toBe(true);
    });

    test('keeps, lists and deletes conversations whatever their ids', async () => {
      const other = setup.open('unusual');
      const digests = new Map<string, string>();
      for (const id of UNUSUAL_IDS) digests.set(id, await other.put(id, Buffer.from(id)));
      expect(new Set(await listed(other))).toEqual(new Set(UNUSUAL_IDS));
      for (const [id, sha256] of digests) {
        expect(Buffer.compare(await other.get(id, sha256), Buffer.from(id))).toBe(0);
        expect(await other.deleteConversation(id)).toBe(1);
      }
      expect(await listed(other)).toEqual([]);
      await other.close();
    });

    test('names one blob of a conversation as its manifest, until the conversation is deleted', async () => {
      const id = newId();
      expect(await store.manifest(id)).toBeUndefined();
      const [first, second] = [
        await store.put(id, randomBytes(9)),
        await store.put(id, randomBytes(9)),
      ];
      await store.setManifest(id, first);
      expect(await store.manifest(id)).toBe(first);
      await store.setManifest(id, second);
      const other = setup.open();
      expect(await other.manifest(id)).toBe(second);
      await other.close();
      expect(await store.manifest(newId())).toBeUndefined();
      expect(await listed(store)).toContain(id);
      expect(await store.deleteConversation(id)).toBe(2);
      expect(await store.manifest(id)).toBeUndefined();
      await store.put(id, randomBytes(9));
      expect(await store.manifest(id)).toBeUndefined();
    });

    test('tells how much there is of a conversation, and when it was last put', async () => {
      const id = newId();
      expect(await store.holdings(id)).toEqual({ blobs: 0, bytes: 0 });
      await store.put(id, randomBytes(1000));
      const sha256 = await store.put(id, randomBytes(234));
      const held = await store.holdings(id);
      expect(held).toEqual({ blobs: 2, bytes: 1234, newestAt: expect.any(Date) });
      // The note of a manifest is no blob.
      await store.setManifest(id, sha256);
      expect(await store.holdings(id)).toEqual(held);
    });

    test.each(['plain', 'long/'.repeat(100)])(
      'deletes of a conversation what was put before a time: its other blobs stay (%#)',
      async (id) => {
        const [old, young] = [randomBytes(10), randomBytes(20)];
        const first = await store.put(id, old);
        const { newestAt: before } = await store.holdings(id);
        expect(await store.deleteConversation(id, { writtenBefore: timeOf(before) })).toBe(0);
        const second = await putLaterThan(store, id, young, timeOf(before));
        const { newestAt: after } = await store.holdings(id);
        const removed = await store.deleteConversation(id, { writtenBefore: timeOf(after) });
        expect(removed).toBe(1);
        expect(await store.has(id, first)).toBe(false);
        expect(await store.has(id, second)).toBe(true);
        expect(await listed(store)).toContain(id);
        const all = { writtenBefore: new Date(Date.now() + 3_600_000) };
        expect(await store.deleteConversation(id, all)).toBe(1);
        expect(await listed(store)).not.toContain(id);
      },
    );

    test('counts a blob that is put again as new', async () => {
      const id = newId();
      const bytes = randomBytes(10);
      const sha256 = await store.put(id, bytes);
      const { newestAt: before } = await store.holdings(id);
      await putLaterThan(store, id, bytes, timeOf(before));
      const { newestAt: after } = await store.holdings(id);
      expect(await store.deleteConversation(id, { writtenBefore: timeOf(after) })).toBe(0);
      expect(Buffer.compare(await store.get(id, sha256), bytes)).toBe(0);
    });

    test('has one id for all who open a new place at once, and another elsewhere', async () => {
      const stores = Array.from({ length: 8 }, () => setup.open('new'));
      const ids = await Promise.all(stores.map((each) => each.id()));
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(await store.id()).not.toBe(ids[0]);
      const later = setup.open('new');
      expect(await later.id()).toBe(ids[0]);
      await Promise.all([later, ...stores].map((each) => each.close()));
    });
  });
}

async function listed(store: BlobStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.conversations()) ids.push(id);
  return ids;
}

function timeOf(at: Date | undefined): Date {
  if (at === undefined) throw new Error('expected a conversation with blobs');
  return at;
}

/** Puts until the store's clock has gone on: some count in seconds. */
async function putLaterThan(
  store: BlobStore,
  id: string,
  bytes: Uint8Array,
  time: Date,
): Promise<string> {
  await vi.waitFor(
    async () => {
      await store.put(id, bytes);
      const { newestAt } = await store.holdings(id);
      expect(timeOf(newestAt).getTime()).toBeGreaterThan(time.getTime());
    },
    { timeout: 5000 },
  );
  return sha256Of(bytes);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
