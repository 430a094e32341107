import { activityInfo } from '@temporalio/activity';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { BlobInput, BlobOutput } from '../core/activity-shapes.ts';
import { type Content, contentSchema, textOf } from '../core/content.ts';
import { type BlobReference, previewOf } from '../core/stored.ts';
import type { ActivityEnvironment } from './environment.ts';
import { runLocation } from './run-location.ts';
import { storeFailure } from './store-failure.ts';
import { demandStore } from './transcript/foreign-blob-store.ts';

/**
 * `perdure.blob`: takes a value that is too large for history, slice by slice. Its blob holds the
 * value's JSON, as if an activity had stored it.
 */
export function createBlobActivity({
  blobs,
}: Pick<ActivityEnvironment, 'blobs'>): (input: BlobInput) => Promise<BlobOutput> {
  return async (input) => {
    const { workflowId } = runLocation(activityInfo());
    try {
      await demandStore(blobs, workflowId, input.store);
      return { reference: await putSlice(blobs, workflowId, input) };
    } catch (error) {
      throw storeFailure(blobs, 'keeping a large value', error);
    }
  };
}

async function putSlice(
  blobs: BlobStore,
  conversationId: string,
  { slice, after, last }: BlobInput,
): Promise<BlobReference> {
  const before = last
    ? await Promise.all(after.map((blob) => blobs.get(conversationId, blob)))
    : [];
  const bytes = Buffer.concat([...before, Buffer.from(slice)]);
  const preview = last ? previewOfJson(bytes.toString()) : previewOf(slice);
  return { blob: await blobs.put(conversationId, bytes), size: bytes.length, preview };
}

function previewOfJson(json: string): string {
  const value = JSON.parse(json) as unknown;
  const isContent = contentSchema().safeParse(value).success;
  return previewOf(isContent ? textOf(value as Content) : json);
}
