import type { ConversationResult, StopReason } from '../../core/status.ts';

export type ConversationEnd = 'failed' | 'cancelled' | 'terminated' | 'timed_out';

/** The conversation ended without a result: `type` is the stable reason, `result` what there was by then. */
export class ConversationFailed extends Error {
  override readonly name = 'ConversationFailed';
  readonly conversationId: string;
  readonly end: ConversationEnd;
  /** The failure's type: a stop reason in PascalCase (`ModelUnavailable`), `UnknownAgent`, `Cancelled`, … */
  readonly type: string;
  readonly stopReason?: StopReason;
  /** The result so far, where the conversation could give one. */
  readonly result?: ConversationResult;

  constructor(
    message: string,
    ended: {
      readonly conversationId: string;
      readonly end: ConversationEnd;
      readonly type: string;
      readonly result?: ConversationResult | undefined;
    },
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.conversationId = ended.conversationId;
    this.end = ended.end;
    this.type = ended.type;
    if (ended.result !== undefined) {
      this.result = ended.result;
      this.stopReason = ended.result.stopReason;
    }
  }
}
