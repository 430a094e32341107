/** A start asked for an id that is taken: by a conversation that has ended, or by one of another agent. */
export class ConversationExists extends Error {
  override readonly name = 'ConversationExists';
  readonly conversationId: string;
  /** `closed`: it has ended. `other_agent`: it runs, with the agent `agent`. */
  readonly reason: 'closed' | 'other_agent';
  readonly agent?: string;

  constructor(
    conversationId: string,
    taken:
      { readonly reason: 'closed' } | { readonly reason: 'other_agent'; readonly agent: string },
    options?: { readonly cause?: unknown },
  ) {
    super(
      taken.reason === 'closed'
        ? `conversation "${conversationId}" was started before and has ended: ` +
            'read it through its handle, choose another id, or pass reuse: true to run the id again'
        : `conversation "${conversationId}" is running with agent "${taken.agent}": choose another id`,
      options,
    );
    this.conversationId = conversationId;
    this.reason = taken.reason;
    if (taken.reason === 'other_agent') this.agent = taken.agent;
  }
}
