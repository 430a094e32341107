import type { ApprovalRequest, RecordedVerdict } from './approval-request.ts';
import type { ApprovalSettings } from './approval-settings.ts';
import type { Json } from './json.ts';
import type { Stored } from './stored.ts';
import type { Who } from './who.ts';

/** A request that waits, with the rules that it was asked under. */
export interface PendingApproval {
  readonly request: ApprovalRequest;
  readonly settings: ApprovalSettings;
  /** Milliseconds since 1970. */
  readonly requestedAtMs: number;
  /** Set once a person changed the arguments. */
  readonly edited?: EditedInput;
}

/** New arguments from a person: what is to run, and the digest of what the model asked for. */
export interface EditedInput {
  readonly input: Stored<Json>;
  readonly digest: string;
  readonly originalDigest: string;
  readonly by: Who;
}

/** How a request ended. */
export interface Decision {
  readonly key: string;
  readonly callId?: string;
  readonly decision: 'approve' | 'deny' | 'expire' | 'cancel';
  /** Who decided last; absent when nobody did. */
  readonly by?: Who;
  readonly at: string;
  readonly reason?: string;
  readonly verdicts: readonly RecordedVerdict[];
  readonly edited?: EditedInput;
}

/** All approvals of a conversation: what waits, and how what no longer waits ended. */
export interface ApprovalBook {
  readonly pending: readonly PendingApproval[];
  /** The newest, for answers to verdicts that come late or twice. */
  readonly decided: readonly Decision[];
}

export const EMPTY_BOOK: ApprovalBook = { pending: [], decided: [] };

/** Decisions remembered for late and doubled verdicts. */
export const DECIDED_CAPACITY = 200;

export function publish(book: ApprovalBook, pending: PendingApproval): ApprovalBook {
  return { ...book, pending: [...book.pending, pending] };
}

export function decisionOf(book: ApprovalBook, key: string): Decision | undefined {
  return book.decided.findLast((decision) => decision.key === key);
}

/** Ends a request: it no longer waits, and how it ended is remembered. */
export function settle(book: ApprovalBook, decision: Decision): ApprovalBook {
  return {
    pending: book.pending.filter(({ request }) => request.key !== decision.key),
    decided: [...book.decided, decision].slice(-DECIDED_CAPACITY),
  };
}

/** Ends a request without a person: its time is over, or its turn was stopped. */
export function settleWithoutPerson(
  book: ApprovalBook,
  key: string,
  decision: 'expire' | 'cancel',
  at: string,
  reason?: string,
): ApprovalBook {
  const pending = book.pending.find(({ request }) => request.key === key);
  if (pending === undefined) return book;
  return settle(book, {
    key,
    ...(pending.request.callId === undefined ? {} : { callId: pending.request.callId }),
    decision,
    at,
    ...(reason === undefined ? {} : { reason }),
    verdicts: pending.request.verdicts,
  });
}
