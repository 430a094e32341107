import { type ApprovalBook, settleWithoutPerson } from './approval.ts';

/**
 * Where the asking side chose so, a user's message answers the calls that wait: with a denial. A
 * question about the budget is not the user's to answer, and goes on waiting.
 */
export function denyByMessage(
  book: ApprovalBook,
  message: { readonly id: string; readonly at: string },
): { readonly book: ApprovalBook; readonly denied: boolean } {
  const keys = book.pending
    .filter(
      ({ request, settings }) =>
        request.kind === 'call' && settings.onMessageWhileWaiting === 'deny',
    )
    .map(({ request }) => request.key);
  const reason = `The user sent a message instead (${message.id}).`;
  return {
    book: settleWithoutPerson(book, keys, { decision: 'deny', at: message.at, reason }),
    denied: keys.length > 0,
  };
}
