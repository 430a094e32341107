import type { Json } from './json.ts';
import type { Stored } from './stored.ts';
import type { Who } from './who.ts';

export interface RecordedVerdict {
  readonly decision: 'approve' | 'deny';
  readonly by: Who;
  readonly at: string;
  readonly reason?: string;
  readonly verdictId?: string;
}

/** A pending question to a person (format.md §1, query `approvals`). Times are ISO 8601. */
export interface ApprovalRequest {
  readonly kind: 'call' | 'budget';
  readonly key: string;
  readonly callId?: string;
  readonly tool?: string;
  readonly input: Stored<Json>;
  /** SHA-256 over the RFC 8785 form of the arguments; opaque to callers. */
  readonly digest: string;
  readonly summary: string;
  readonly danger: boolean;
  readonly reason: string;
  readonly requestedAt: string;
  readonly expiresAt?: string;
  /** When somebody should be reminded; stays once that time has come. */
  readonly remindAt?: string;
  /** Set when the time to remind has come: whoever tells people does it now. */
  readonly remindedAt?: string;
  /** Of whom it is asked now: the next name after each escalation. */
  readonly askedOf?: string;
  /** Different people who must approve; absent: one. */
  readonly quorum?: number;
  /** Approvals that count so far. */
  readonly verdicts: readonly RecordedVerdict[];
}
