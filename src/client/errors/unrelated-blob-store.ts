/** The server knows none of the conversations of a blob store: it is hardly this server's store. */
export class UnrelatedBlobStore extends Error {
  override readonly name = 'UnrelatedBlobStore';

  constructor(conversations: number, namespace: string, address: string) {
    super(
      `of the ${conversations} conversations with old blobs in this store, the namespace "${namespace}" at ${address} knows none: ` +
        'is it the store of another server or namespace? Nothing was removed; force removes them all the same',
    );
  }
}
