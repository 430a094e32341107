import type { BlobStore } from './blob-store.ts';
import { fileBlobStore, type FileBlobStoreOptions } from './file.ts';

/** A blob store as configuration names it. */
export type BlobStoreSettings = { readonly kind: 'file' } & FileBlobStoreOptions;

/** Makes a blob store. A package that only its kind needs is loaded when it is first used. */
export function createBlobStore(settings: BlobStoreSettings): BlobStore {
  switch (settings.kind) {
    case 'file':
      return fileBlobStore(settings);
    default:
      throw new Error(`expected a blob store of kind "file", got ${JSON.stringify(settings)}`);
  }
}
