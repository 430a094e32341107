import type { BlobStore } from './blob-store.ts';
import { fileBlobStore, type FileBlobStoreOptions } from './file.ts';
import { postgresBlobStore, type PostgresBlobStoreOptions } from './postgres.ts';
import { s3BlobStore, type S3BlobStoreOptions } from './s3.ts';

/** A blob store as configuration names it. */
export type BlobStoreSettings =
  | ({ readonly kind: 'file' } & FileBlobStoreOptions)
  | ({ readonly kind: 'postgres' } & PostgresBlobStoreOptions)
  | ({ readonly kind: 's3' } & S3BlobStoreOptions);

/** Makes a blob store. The package that its kind needs is loaded when it is first used. */
export function createBlobStore(settings: BlobStoreSettings): BlobStore {
  switch (settings.kind) {
    case 'file':
      return fileBlobStore(settings);
    case 'postgres':
      return postgresBlobStore(settings);
    case 's3':
      return s3BlobStore(settings);
    default:
      return unknownKind(settings);
  }
}

/** Configuration may come from plain JavaScript. */
function unknownKind(settings: never): never {
  const { kind }: { readonly kind?: unknown } = settings;
  throw new Error(
    `expected a blob store of kind "file", "postgres" or "s3", got ${JSON.stringify(kind)}`,
  );
}
