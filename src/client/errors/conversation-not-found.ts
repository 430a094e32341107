/** The server knows no conversation with this id: never started, in another namespace, or past retention. */
export class ConversationNotFound extends Error {
  override readonly name = 'ConversationNotFound';
  readonly conversationId: string;
  readonly namespace: string;

  constructor(conversationId: string, namespace: string, options?: { readonly cause?: unknown }) {
    super(
      `no conversation "${conversationId}" in namespace "${namespace}": ` +
        'check the id and the namespace, or the server has let it go after its retention time',
      options,
    );
    this.conversationId = conversationId;
    this.namespace = namespace;
  }
}
