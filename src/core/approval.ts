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
  /** Approvals of arguments that were changed since: they count no more, and are answered as before. */
  readonly superseded?: readonly RecordedVerdict[];
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
  readonly superseded?: readonly RecordedVerdict[];
  readonly edited?: EditedInput;
}

/** All approvals of a conversation: what waits, and how what no longer waits ended. */
export interface ApprovalBook {
  readonly pending: readonly PendingApproval[];
  /** The newest, for answers to verdicts that come late or twice. */
  readonly decided: readonly Decision[];
}

export const EMPTY_BOOK: ApprovalBook = { pending: [], decided: [] };

/** Decisions of earlier batches remembered for late and doubled verdicts. */
export const DECIDED_CAPACITY = 200;

/**
 * Asks. Old decisions are forgotten here, never as one is made: whoever waits for the decisions of
 * its own requests finds all of them, however many they are.
 */
export function publish(book: ApprovalBook, asked: readonly PendingApproval[]): ApprovalBook {
  if (asked.length === 0) return book;
  return {
    pending: [...book.pending, ...asked],
    decided: book.decided.slice(-DECIDED_CAPACITY),
  };
}

export function decisionOf(book: ApprovalBook, key: string): Decision | undefined {
  return book.decided.findLast((decision) => decision.key === key);
}

export function pendingOf(book: ApprovalBook, key: string): PendingApproval | undefined {
  return book.pending.find(({ request }) => request.key === key);
}

/** Changes one request that waits; a book without it stays as it is. */
export function changePending(
  book: ApprovalBook,
  key: string,
  change: (pending: PendingApproval) => PendingApproval,
): ApprovalBook {
  const pending = book.pending.map((waiting) =>
    waiting.request.key === key ? change(waiting) : waiting,
  );
  return { ...book, pending };
}

/** Ends a request: it no longer waits, and how it ended is remembered. */
export function settle(book: ApprovalBook, decision: Decision): ApprovalBook {
  return {
    pending: book.pending.filter(({ request }) => request.key !== decision.key),
    decided: [...book.decided, decision],
  };
}

/** How a request ends without a person's verdict; for a denial, the reason says what came instead. */
export interface EndWithoutPerson {
  readonly decision: 'deny' | 'expire' | 'cancel';
  readonly at: string;
  readonly reason?: string;
}

/** Ends requests without a person; keys that do not wait change nothing. */
export function settleWithoutPerson(
  book: ApprovalBook,
  keys: Iterable<string>,
  end: EndWithoutPerson,
): ApprovalBook {
  let settled = book;
  for (const key of keys) {
    const pending = pendingOf(settled, key);
    if (pending === undefined) continue;
    const { callId, verdicts } = pending.request;
    settled = settle(settled, {
      key,
      ...(callId === undefined ? {} : { callId }),
      ...end,
      verdicts,
      ...(pending.superseded === undefined ? {} : { superseded: pending.superseded }),
    });
  }
  return settled;
}
