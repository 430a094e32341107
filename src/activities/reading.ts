import { ApplicationFailure } from '@temporalio/activity';
import { BlobMissing, type BlobStore } from '../blobs/blob-store.ts';
import { describeError } from '../core/describe-error.ts';
import { storeUnavailable } from './attempt-failure.ts';
import type { RunLocation } from './transcript/transcript-reader.ts';
import { TranscriptMismatch } from './transcript/transcript-mismatch.ts';

/**
 * Uses what history and the blob store have of a conversation. What is gone stays gone and keeps
 * its error; anything else means that this worker cannot read what another may, or the same later.
 * @throws {BlobMissing} {@link TranscriptMismatch} {@link ApplicationFailure} `StoreUnavailable`
 */
export async function reading<T>(
  { blobs }: { readonly blobs: BlobStore },
  { workflowId }: RunLocation,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    const isFinal =
      error instanceof ApplicationFailure ||
      error instanceof BlobMissing ||
      error instanceof TranscriptMismatch;
    if (isFinal) throw error;
    throw storeUnavailable(
      `conversation "${workflowId}" could not be read (${blobs.kind} blob store): ${describeError(error)}`,
      error,
    );
  }
}
