import { createHistorySource } from '../activities/transcript/history-source.ts';
import { ForeignBlobStore } from '../activities/transcript/foreign-blob-store.ts';
import { createPayloadDecoder } from '../activities/transcript/payload-decoder.ts';
import { readSpecRecord } from '../activities/transcript/run-beginning.ts';
import type { ClientContext } from './client-context.ts';

/**
 * Whether the client's blob store is the one that the conversation began with, as far as its
 * history tells. Without a blob store nothing is checked.
 * @throws {ForeignBlobStore}
 */
export async function checkBlobStore(
  { client, namespace, blobs }: ClientContext,
  workflowId: string,
  runId: string,
): Promise<void> {
  if (blobs === undefined) return;
  const record = await readSpecRecord(
    createHistorySource(client.connection),
    createPayloadDecoder(client.options.loadedDataConverter.payloadCodecs),
    { namespace, workflowId, runId },
  );
  // Absent where it never got that far, or is encrypted for others.
  if (typeof record?.blobStore !== 'string') return;
  const id = await blobs.id();
  if (id !== record.blobStore) throw new ForeignBlobStore(workflowId, record.blobStore, id);
}
