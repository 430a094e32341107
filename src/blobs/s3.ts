import { randomUUID } from 'node:crypto';
import { conversationIdOf } from '../core/conversation-name.ts';
import { isSha256, segmentOf, sha256Of } from './blob-name.ts';
import { type BlobHoldings, BlobMissing, type BlobStore, withBlob } from './blob-store.ts';
import { openS3Bucket, type S3Bucket, type S3BucketOptions, type S3Object } from './s3-bucket.ts';

export interface S3BlobStoreOptions extends S3BucketOptions {
  /** Put before every key, e.g. `perdure/`; default none. */
  readonly prefix?: string;
}

const STORE_ID = '.store-id';
/** In a conversation whose name does not tell its id: the id as JSON. */
const CONVERSATION_ID = '.conversation-id';
/** In a conversation that has a manifest: the digest of its blob. */
const MANIFEST = '.manifest';

/**
 * Blobs in a bucket of S3, or of a server that speaks its protocol: `<prefix><conversation>/<sha-256>`.
 * Needs the package `@aws-sdk/client-s3`.
 */
export function s3BlobStore(options: S3BlobStoreOptions): BlobStore {
  const prefix = options.prefix ?? '';
  const folderOf = (conversationId: string): string => `${prefix}${segmentOf(conversationId)}/`;
  let bucket: Promise<S3Bucket> | undefined;
  let opened: Promise<string> | undefined;

  async function reach(): Promise<S3Bucket> {
    bucket ??= openS3Bucket(options);
    return bucket;
  }

  /** The bucket is known to be there, and to be ours, before anything is said to be absent. */
  async function ready(): Promise<S3Bucket> {
    await id();
    return reach();
  }

  function id(): Promise<string> {
    opened ??= readOrMakeId().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function readOrMakeId(): Promise<string> {
    const objects = await reach();
    const key = `${prefix}${STORE_ID}`;
    const found = await objects.get(key);
    if (found === undefined) await objects.putNew(key, Buffer.from(randomUUID()));
    const id = Buffer.from(found ?? (await objects.get(key)) ?? []).toString();
    if (id === '') throw new Error(`expected the blob store's id in object "${key}": it is empty`);
    return id;
  }

  async function put(conversationId: string, bytes: Uint8Array): Promise<string> {
    const objects = await ready();
    const sha256 = sha256Of(bytes);
    const folder = folderOf(conversationId);
    if (conversationIdOf(segmentOf(conversationId)) === undefined) {
      await objects.put(`${folder}${CONVERSATION_ID}`, Buffer.from(JSON.stringify(conversationId)));
    }
    await objects.put(`${folder}${sha256}`, bytes);
    return sha256;
  }

  async function get(conversationId: string, sha256: string): Promise<Uint8Array> {
    const objects = await ready();
    const bytes = isSha256(sha256)
      ? await objects.get(`${folderOf(conversationId)}${sha256}`)
      : undefined;
    if (bytes === undefined) throw new BlobMissing(conversationId, sha256, 'absent');
    if (sha256Of(bytes) !== sha256) throw new BlobMissing(conversationId, sha256, 'damaged');
    return bytes;
  }

  async function has(conversationId: string, sha256: string): Promise<boolean> {
    const objects = await ready();
    return isSha256(sha256) && (await objects.has(`${folderOf(conversationId)}${sha256}`));
  }

  async function setManifest(conversationId: string, sha256: string): Promise<void> {
    const objects = await ready();
    await objects.put(`${folderOf(conversationId)}${MANIFEST}`, Buffer.from(sha256));
  }

  async function manifest(conversationId: string): Promise<string | undefined> {
    const objects = await ready();
    const bytes = await objects.get(`${folderOf(conversationId)}${MANIFEST}`);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  }

  async function deleteConversation(
    conversationId: string,
    { writtenBefore }: { readonly writtenBefore?: Date } = {},
  ): Promise<number> {
    const bucket = await ready();
    const folder = folderOf(conversationId);
    if (writtenBefore === undefined) await bucket.delete([`${folder}${MANIFEST}`]);
    let count = 0;
    let left = 0;
    for await (const page of blobPages(bucket, folder)) {
      const doomed = page.filter(
        ({ writtenAt }) => writtenBefore === undefined || writtenAt < writtenBefore,
      );
      await bucket.delete(doomed.map(({ key }) => key));
      count += doomed.length;
      left += page.length - doomed.length;
    }
    // Last: a deletion that dies on the way leaves a conversation that can be found by its id.
    if (left === 0) await bucket.delete([`${folder}${CONVERSATION_ID}`]);
    return count;
  }

  async function holdings(conversationId: string): Promise<BlobHoldings> {
    const bucket = await ready();
    let held: BlobHoldings = { blobs: 0, bytes: 0 };
    for await (const page of blobPages(bucket, folderOf(conversationId))) {
      for (const { bytes, writtenAt } of page) held = withBlob(held, bytes, writtenAt);
    }
    return held;
  }

  async function* conversations(): AsyncGenerator<string> {
    const bucket = await ready();
    let last: string | undefined;
    // By all keys, not by folders: some servers list folders that are empty, and a page of keys
    // tells as much as many questions after single folders.
    for await (const page of bucket.objects(prefix)) {
      for (const { key } of page) {
        const [name = '', blob = ''] = key.slice(prefix.length).split('/');
        if (name === last || !isSha256(blob)) continue;
        last = name;
        const note = `${prefix}${name}/${CONVERSATION_ID}`;
        const conversationId = conversationIdOf(name) ?? notedId(await bucket.get(note));
        if (conversationId !== undefined) yield conversationId;
      }
    }
  }

  return {
    kind: 's3',
    id,
    put,
    get,
    has,
    setManifest,
    manifest,
    deleteConversation,
    conversations,
    holdings,
    close: async () => {
      const closing = bucket;
      bucket = undefined;
      opened = undefined;
      (await closing)?.close();
    },
  };
}

async function* blobPages(bucket: S3Bucket, folder: string): AsyncGenerator<readonly S3Object[]> {
  for await (const page of bucket.objects(folder)) {
    yield page.filter(({ key }) => isSha256(key.slice(folder.length)));
  }
}

function notedId(note: Uint8Array | undefined): string | undefined {
  if (note === undefined) return undefined;
  const id: unknown = JSON.parse(Buffer.from(note).toString());
  return typeof id === 'string' ? id : undefined;
}
