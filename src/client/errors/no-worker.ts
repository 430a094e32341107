/** Nothing is wrong with the conversation, but a question that only a worker can answer got none in time. */
export class NoWorker extends Error {
  override readonly name = 'NoWorker';
  readonly conversationId: string;

  constructor(conversationId: string, asked: string, options?: { readonly cause?: unknown }) {
    super(
      `no worker answered "${asked}" for conversation "${conversationId}": ` +
        'start one (perdure worker), or wait until it is back; the conversation has lost nothing',
      options,
    );
    this.conversationId = conversationId;
  }
}
