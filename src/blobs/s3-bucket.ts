import { createHash } from 'node:crypto';
import { loadOptionalPackage } from '../core/optional-package.ts';

export interface S3BucketOptions {
  /** Must be there. */
  readonly bucket: string;
  /** Default as the AWS SDK finds it; `us-east-1` with an `endpoint`. */
  readonly region?: string;
  /** Any S3-compatible server; default AWS. */
  readonly endpoint?: string;
  /** `<endpoint>/<bucket>/<key>` and not `<bucket>.<endpoint>/<key>`; default true with an `endpoint`. */
  readonly forcePathStyle?: boolean;
  /** Default as the AWS SDK finds them: environment, shared files, the machine's role. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** The few things that a blob store asks of a bucket. */
export interface S3Bucket {
  /** Writes an object; the server refuses bytes that arrive with another SHA-256. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes an object unless there is one; which of two is kept, `get` tells. */
  putNew(key: string, bytes: Uint8Array): Promise<void>;
  /** `undefined` when there is no such object; a bucket that is not there throws. */
  get(key: string): Promise<Uint8Array | undefined>;
  has(key: string): Promise<boolean>;
  delete(keys: readonly string[]): Promise<void>;
  /** All objects with a prefix, in pages of at most 1,000. */
  objects(prefix: string): AsyncIterable<readonly S3Object[]>;
  close(): void;
}

export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  readonly writtenAt: Date;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that is gone without a word must not hold an activity for ever. */
const SILENCE_TIMEOUT_MS = 60_000;

export async function openS3Bucket(options: S3BucketOptions): Promise<S3Bucket> {
  const aws = await loadOptionalPackage(
    '@aws-sdk/client-s3',
    'the blob store "s3"',
    () => import('@aws-sdk/client-s3'),
  );
  const hasEndpoint = options.endpoint !== undefined;
  const region = options.region ?? (hasEndpoint ? 'us-east-1' : undefined);
  const client = new aws.S3Client({
    ...(region === undefined ? {} : { region }),
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    forcePathStyle: options.forcePathStyle ?? hasEndpoint,
    // Ours is the checksum of each put; the SDK's own kind is not understood by every server.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SILENCE_TIMEOUT_MS },
  });
  const Bucket = options.bucket;

  const body = (key: string, bytes: Uint8Array) => ({
    Bucket,
    Key: key,
    Body: bytes,
    ContentLength: bytes.byteLength,
    ContentType: 'application/octet-stream',
    ChecksumSHA256: createHash('sha256').update(bytes).digest('base64'),
  });

  return {
    put: async (key, bytes) => {
      await client.send(new aws.PutObjectCommand(body(key, bytes)));
    },
    putNew: async (key, bytes) => {
      try {
        await client.send(new aws.PutObjectCommand({ ...body(key, bytes), IfNoneMatch: '*' }));
      } catch (error) {
        // 412: there is one. 409: another is being written right now.
        if (!hasStatus(error, 412) && !hasStatus(error, 409)) throw error;
      }
    },
    get: async (key) => {
      try {
        const { Body } = await client.send(new aws.GetObjectCommand({ Bucket, Key: key }));
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      } catch (error) {
        if (error instanceof aws.NoSuchKey) return undefined;
        throw error;
      }
    },
    has: async (key) => {
      try {
        await client.send(new aws.HeadObjectCommand({ Bucket, Key: key }));
        return true;
      } catch (error) {
        if (hasStatus(error, 404)) return false;
        throw error;
      }
    },
    delete: async (keys) => {
      if (keys.length === 0) return;
      const { Errors: errors } = await client.send(
        new aws.DeleteObjectsCommand({
          Bucket,
          Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
        }),
      );
      const [first] = errors ?? [];
      if (first !== undefined) {
        throw new Error(
          `${errors?.length} of ${keys.length} objects could not be deleted; "${first.Key}": ${first.Code} ${first.Message}`,
        );
      }
    },
    objects: async function* (prefix) {
      const pages = aws.paginateListObjectsV2({ client }, { Bucket, Prefix: prefix });
      for await (const { Contents: contents } of pages) {
        yield (contents ?? []).flatMap(({ Key, Size, LastModified }) =>
          // Without its time an object counts as new.
          Key === undefined
            ? []
            : [{ key: Key, bytes: Size ?? 0, writtenAt: LastModified ?? new Date() }],
        );
      }
    },
    close: () => client.destroy(),
  };
}

function hasStatus(error: unknown, status: number): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const metadata = error.$metadata;
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    'httpStatusCode' in metadata &&
    metadata.httpStatusCode === status
  );
}
