import type { ApprovalRequest } from '../../core/approval-request.ts';
import { QUERIES } from '../../core/names.ts';
import type { StatusAnswer } from '../../core/status.ts';
import type { ClientContext } from '../client-context.ts';
import { conversationApprovals } from '../list-approvals.ts';
import { queryConversation } from '../query-conversation.ts';

/** What a conversation that makes no progress waits for. */
export interface RestingState {
  readonly status: StatusAnswer;
  readonly approvals: readonly ApprovalRequest[];
}

/** Asks it; `undefined` when it does not wait. @throws {NoWorker} */
export async function restingState(
  context: ClientContext,
  conversationId: string,
): Promise<RestingState | undefined> {
  const status = await queryConversation<StatusAnswer>(context, conversationId, QUERIES.status);
  if (!status.status.startsWith('waiting') && status.pending === 0) return undefined;
  const approvals =
    status.pending === 0 ? [] : await conversationApprovals(context, conversationId);
  return { status, approvals };
}

/** The same for two states in which the same is waited for. */
export function restKey({ status, approvals }: RestingState): string {
  const { status: word, turn, waitingUntil, queued } = status;
  const keys = approvals.map(({ key, digest, verdicts }) => [key, digest, verdicts.length]);
  return JSON.stringify([word, turn, word === 'waiting_input' ? '' : waitingUntil, queued, keys]);
}
