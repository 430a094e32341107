/** How long and of whom a person's verdict is asked, with every duration in milliseconds. */
export interface ApprovalSettings {
  readonly timeoutMs?: number;
  /** What an expired request does; default `deny`. */
  readonly expire: 'deny' | 'fail';
  readonly remindAfterMs?: number;
  readonly escalate?: readonly { readonly afterMs: number; readonly askedOf: string }[];
  readonly askedOf?: string;
  /** Distinct people who must approve; default 1. */
  readonly quorum: number;
  /** Four eyes: whoever started the conversation may not approve. */
  readonly notBy?: 'starter';
  /** What a user's message does while the request waits; default `queue`. */
  readonly onMessageWhileWaiting: 'queue' | 'deny';
}

export const DEFAULT_APPROVAL: ApprovalSettings = {
  expire: 'deny',
  quorum: 1,
  onMessageWhileWaiting: 'queue',
};
