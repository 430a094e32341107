import { isBlobReference, previewOf, type BlobReference, type Stored } from '../core/stored.ts';
import type { BlobStore } from './blob-store.ts';

export interface StoreOptions {
  /** A value whose JSON is longer goes to the store. */
  readonly inlineLimitBytes: number;
  /** What history shows in place of the value; default: its text, or its JSON. */
  readonly preview?: string;
}

/**
 * The value as it may be recorded: itself, or a reference to a blob that holds its JSON as UTF-8.
 * A value that looks like a reference is never recorded as it is: nobody could tell it from one.
 * Throws what the store throws.
 */
export async function storeValue<T>(
  blobs: BlobStore,
  conversationId: string,
  value: T,
  options: StoreOptions,
): Promise<Stored<T>> {
  const bytes = bytesOf(value);
  if (bytes.length <= options.inlineLimitBytes && !isBlobReference(value)) return value;
  return putBytes(blobs, conversationId, bytes, options.preview ?? previewOfValue(value));
}

/** Puts the value into the store, whatever its size. */
export async function putValue(
  blobs: BlobStore,
  conversationId: string,
  value: unknown,
  preview: string = previewOfValue(value),
): Promise<BlobReference> {
  return putBytes(blobs, conversationId, bytesOf(value), preview);
}

/**
 * The value itself, from the store where it was kept there.
 * @throws {BlobMissing} when the store does not have it.
 */
export async function loadValue<T>(
  blobs: BlobStore,
  conversationId: string,
  stored: Stored<T>,
): Promise<T> {
  if (!isBlobReference(stored)) return stored;
  const bytes = await blobs.get(conversationId, stored.blob);
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

function bytesOf(value: unknown): Uint8Array {
  // `undefined` has no JSON; where a value is recorded it becomes null all the same.
  return new TextEncoder().encode(JSON.stringify(value) ?? 'null');
}

async function putBytes(
  blobs: BlobStore,
  conversationId: string,
  bytes: Uint8Array,
  preview: string,
): Promise<BlobReference> {
  const blob = await blobs.put(conversationId, bytes);
  return { blob, size: bytes.length, preview: previewOf(preview) };
}

function previewOfValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
