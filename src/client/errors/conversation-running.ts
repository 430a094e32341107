/** The conversation runs: what removes it would end it in the middle. */
export class ConversationRunning extends Error {
  override readonly name = 'ConversationRunning';
  readonly conversationId: string;

  constructor(conversationId: string) {
    super(
      `conversation "${conversationId}" runs: close or cancel it first, or delete it with force, which ends it at once`,
    );
    this.conversationId = conversationId;
  }
}
