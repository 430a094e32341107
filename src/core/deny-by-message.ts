import { type ApprovalBook, settleWithoutPerson } from './approval.ts';

export interface DenyingMessage {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The calls that wait and that, where the asking side chose so, a user's message answers. */
export function keysDeniedByMessage({ pending }: ApprovalBook): readonly string[] {
  return pending
    .filter(
      ({ request, settings }) =>
        request.kind === 'call' && settings.onMessageWhileWaiting === 'deny',
    )
    .map(({ request }) => request.key);
}

/**
 * A user's message denies the calls that wait. A question about the budget is not the user's to
 * answer, and goes on waiting.
 */
export function denyByMessage(
  book: ApprovalBook,
  keys: readonly string[],
  { id, at }: DenyingMessage,
): ApprovalBook {
  const reason = `The user sent a message instead (${id}).`;
  return settleWithoutPerson(book, keys, { decision: 'deny', at, reason });
}
