/** The conversation's workflow task keeps failing: a defect, or code that does not fit its history. */
export class ConversationStuck extends Error {
  override readonly name = 'ConversationStuck';
  readonly conversationId: string;

  constructor(conversationId: string, options?: { readonly cause?: unknown }) {
    super(
      `conversation "${conversationId}" makes no progress: its workflow task keeps failing. ` +
        'See why and the way out with perdure repair, or deploy a fix: it goes on from where it is',
      options,
    );
    this.conversationId = conversationId;
  }
}
