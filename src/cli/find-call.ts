import type { ApprovalRequest } from '../core/approval-request.ts';
import type { ConversationHandle } from '../client/conversation-handle.ts';
import { CliError } from './cli-error.ts';

/** `1.2.0.f3k9`, or `1.2.budget.0`: a key without its conversation. */
const SHORT_KEY = /^\d+\.\d+\.(\d+|budget)\.[^/.]+$/;

/** A key as lists show it: without the conversation that is in the column before. */
export function shortKey({ key }: { readonly key: string }, conversationId: string): string {
  return key.startsWith(`${conversationId}/`) ? key.slice(conversationId.length + 1) : key;
}

export type Target =
  { readonly key: string; readonly digest?: string } | { readonly callId: string };

/**
 * Which call was meant: a key, a key as the lists show it, the provider's call id, or nothing,
 * where only one waits. Then its digest binds the verdict to what was there to see.
 */
export async function findCall(
  conversation: ConversationHandle,
  call: string | undefined,
): Promise<Target> {
  if (call !== undefined) {
    if (call.includes('/')) return { key: call };
    return SHORT_KEY.test(call) ? { key: `${conversation.id}/${call}` } : { callId: call };
  }
  const waiting = await conversation.approvals();
  const [only] = waiting;
  if (only !== undefined && waiting.length === 1) return { key: only.key, digest: only.digest };
  throw new CliError(
    waiting.length === 0
      ? `nothing waits for an approval in "${conversation.id}": see perdure show ${conversation.id}`
      : `${waiting.length} calls wait in "${conversation.id}": name one of ${names(waiting, conversation.id)}`,
  );
}

function names(waiting: readonly ApprovalRequest[], conversationId: string): string {
  return waiting
    .slice(0, 10)
    .map((request) => `${shortKey(request, conversationId)} (${request.summary})`)
    .join(', ');
}
