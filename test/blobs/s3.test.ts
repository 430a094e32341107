import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, test } from 'vitest';
import { openS3Bucket } from '../../src/blobs/s3-bucket.ts';
import { s3BlobStore } from '../../src/blobs/s3.ts';
import { blobStoreContract } from './contract.ts';
import { startSeaweedfs } from './start-seaweedfs.ts';

const server = await startSeaweedfs();
const place = {
  bucket: server?.bucket ?? '',
  endpoint: server?.endpoint ?? '',
  credentials: server?.credentials ?? { accessKeyId: '', secretAccessKey: '' },
};
const client = new S3Client({ ...place, region: 'us-east-1', forcePathStyle: true });
afterAll(async () => {
  client.destroy();
  await server?.stop();
});

describe.skipIf(server === undefined)('on SeaweedFS', () => {
  let prefixes = 0;
  const newPrefix = (): string => `prefix-${++prefixes}/`;

  blobStoreContract('s3', () => {
    const prefix = newPrefix();
    return {
      open: (name) =>
        s3BlobStore({ ...place, prefix: name === undefined ? prefix : `${name}-${prefix}` }),
      damage: async (conversationId, sha256, bytes) => {
        await client.send(
          new PutObjectCommand({
            Bucket: place.bucket,
            Key: `${prefix}${conversationId}/${sha256}`,
            Body: bytes,
          }),
        );
      },
    };
  });

  test('names objects as documented', async () => {
    const store = s3BlobStore({ ...place, prefix: 'documented/' });
    const sha256 = await store.put('order/42', Buffer.from('x'));
    const object = await client.send(
      new GetObjectCommand({ Bucket: place.bucket, Key: `documented/order%2f42/${sha256}` }),
    );
    expect(await object.Body?.transformToString()).toBe('x');
    await store.close();
  });

  test('lives at the top of a bucket', async () => {
    const store = s3BlobStore(place);
    const sha256 = await store.put('top', Buffer.from('x'));
    expect(await store.has('top', sha256)).toBe(true);
    expect(await store.deleteConversation('top')).toBe(1);
    await store.close();
  });

  test('lists and deletes more than one page', { timeout: 60_000 }, async () => {
    const prefix = newPrefix();
    const store = s3BlobStore({ ...place, prefix });
    const bucket = await openS3Bucket(place);
    const keys = Array.from({ length: 1050 }, (_, n) => `${prefix}many/${sha256Like(n)}`);
    await inTens(keys, (key) => bucket.put(key, Buffer.from('x')));
    await store.put('next', Buffer.from('x'));
    const listed: string[] = [];
    for await (const id of store.conversations()) listed.push(id);
    expect(listed).toEqual(['many', 'next']);
    expect(await store.deleteConversation('many')).toBe(1050);
    expect(await store.deleteConversation('many')).toBe(0);
    bucket.close();
    await store.close();
  });

  test('a conversation is not deleted with one whose name it begins with', async () => {
    const store = s3BlobStore({ ...place, prefix: newPrefix() });
    await store.put('chat', randomBytes(5));
    const sha256 = await store.put('chat-2', randomBytes(5));
    expect(await store.deleteConversation('chat')).toBe(1);
    expect(await store.has('chat-2', sha256)).toBe(true);
    await store.close();
  });

  test('bytes that arrive with another SHA-256 are refused by the server', async () => {
    const put = client.send(
      new PutObjectCommand({
        Bucket: place.bucket,
        Key: 'refused',
        Body: 'x',
        ChecksumSHA256: Buffer.alloc(32).toString('base64'),
      }),
    );
    await expect(put).rejects.toThrow();
  });

  test('a bucket that is not there is a failure, not an absent blob', async () => {
    const store = s3BlobStore({ ...place, bucket: 'no-such-bucket' });
    await expect(store.get('c', '0'.repeat(64))).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await expect(store.has('c', '0'.repeat(64))).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await store.close();
  });

  test('wrong credentials are a failure', async () => {
    const credentials = { accessKeyId: 'test-key', secretAccessKey: 'wrong' };
    const store = s3BlobStore({ ...place, credentials });
    await expect(store.id()).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
    await store.close();
  });
});

test('a put tells the server the SHA-256 of its bytes', async () => {
  let sent: string | string[] | undefined;
  const recorder = createServer((request, response) => {
    sent = request.headers['x-amz-checksum-sha256'];
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(recorder, 'listening');
  const { port } = recorder.address() as AddressInfo;
  const bucket = await openS3Bucket({
    bucket: 'b',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  await bucket.put('key', Buffer.from('x'));
  expect(sent).toBe(createHash('sha256').update('x').digest('base64'));
  bucket.close();
  recorder.close();
});

test('a server that cannot be reached: no id', async () => {
  const store = s3BlobStore({
    bucket: 'b',
    endpoint: 'http://127.0.0.1:1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  await expect(store.id()).rejects.toThrow('ECONNREFUSED');
  await store.close();
});

function sha256Like(n: number): string {
  return n.toString(16).padStart(64, '0');
}

async function inTens<Value>(
  values: readonly Value[],
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const waiting = [...values];
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await work(next);
  };
  await Promise.all(Array.from({ length: 10 }, worker));
}
