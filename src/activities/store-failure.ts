import { ApplicationFailure } from '@temporalio/activity';
import { BlobMissing, type BlobStore } from '../blobs/blob-store.ts';
import { messageOf } from '../core/describe-error.ts';
import { storeUnavailable } from './attempt-failure.ts';

/**
 * The failure of an attempt that needed the blob store. The workflow tries again: the store may be
 * back, or another worker may reach it. A blob that is gone stays gone, and its failure says which.
 */
export function storeFailure(blobs: BlobStore, doing: string, error: unknown): ApplicationFailure {
  const reason = messageOf(error);
  const message = `${doing} failed on the ${blobs.kind} blob store: ${reason}`;
  if (!(error instanceof BlobMissing)) return storeUnavailable(message, error);
  return ApplicationFailure.create({
    type: error.name,
    message,
    nonRetryable: true,
    cause: error,
  });
}
