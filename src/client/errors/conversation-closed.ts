import { PerdureRefusal } from './perdure-refusal.ts';

/** The conversation has ended: it takes no message, verdict or stop any more. A refusal with code `closed`. */
export class ConversationClosed extends PerdureRefusal {
  override readonly name = 'ConversationClosed';
  readonly conversationId: string;

  constructor(conversationId: string, options?: { readonly cause?: unknown }) {
    super(
      {
        code: 'closed',
        message: `conversation "${conversationId}" has ended and takes nothing more: start a new one`,
        conversationId,
      },
      options,
    );
    this.conversationId = conversationId;
  }
}
