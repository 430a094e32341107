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
