/** This worker's blob store is not the one that the conversation began with; another worker's may be. */
export class ForeignBlobStore extends Error {
  override readonly name = 'ForeignBlobStore';

  constructor(conversationId: string, expected: string, found: string) {
    super(
      `conversation "${conversationId}" began with the blob store ${expected}, this worker has ${found}: ` +
        'configure all workers of a task queue with the same store (`perdure doctor` compares them)',
    );
  }
}
