import type { BlobStore } from '../../blobs/blob-store.ts';

/** The blob store here is not the one that the conversation began with; another worker's may be. */
export class ForeignBlobStore extends Error {
  override readonly name = 'ForeignBlobStore';

  constructor(conversationId: string, expected: string, found: string) {
    super(
      `conversation "${conversationId}" began with the blob store ${expected}, here it is ${found}: ` +
        'configure all workers and clients of a task queue with the same store (`perdure doctor` compares them)',
    );
  }
}

/**
 * What is written into a store that the conversation's other workers do not have is lost to them.
 * @param expected absent or empty: who asks does not know
 * @throws {ForeignBlobStore}
 */
export async function demandStore(
  blobs: BlobStore,
  conversationId: string,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined || expected === '') return;
  const found = await blobs.id();
  if (found !== expected) throw new ForeignBlobStore(conversationId, expected, found);
}
