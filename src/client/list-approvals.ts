import type { ApprovalRequest } from '../core/approval-request.ts';
import { type Duration, durationMs } from '../core/duration.ts';
import { QUERIES } from '../core/names.ts';
import type { ClientContext } from './client-context.ts';
import type { ConversationInfo } from './conversation-info.ts';
import { ConversationNotFound } from './errors/conversation-not-found.ts';
import { listWithApprovals } from './list-conversations.ts';
import { queryAll } from './query-conversation.ts';

export interface ApprovalFilter {
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly askedOf?: string | undefined;
  /** Only requests that have waited at least this long. */
  readonly olderThan?: Duration | undefined;
  /**
   * Told of a conversation that does not answer: stuck, or without a worker. Without it the error is
   * thrown, after everything else was listed.
   */
  readonly onUnanswered?: ((conversationId: string, error: unknown) => void) | undefined;
}

/** A request that waits, and where. */
export interface PendingApprovalInfo {
  readonly conversationId: string;
  readonly agent: string;
  readonly request: ApprovalRequest;
}

/** Conversations asked at once. */
const CONCURRENCY = 16;

/**
 * Every approval that waits, over all conversations of the client's task queue. Needs a worker:
 * the conversations are asked.
 * @throws {NoWorker} {@link ConversationStuck}
 */
export async function* listApprovals(
  context: ClientContext,
  filter: ApprovalFilter = {},
): AsyncGenerator<PendingApprovalInfo> {
  const olderThan = filter.olderThan === undefined ? undefined : durationMs(filter.olderThan);
  if (filter.olderThan !== undefined && olderThan === undefined) {
    throw new Error(
      `olderThan: expected a duration such as "2 hours", got ${JSON.stringify(filter.olderThan)}`,
    );
  }
  const fits = ({ tool, askedOf, requestedAt }: ApprovalRequest) =>
    (filter.tool === undefined || tool === filter.tool) &&
    (filter.askedOf === undefined || askedOf === filter.askedOf) &&
    (olderThan === undefined || Date.now() - Date.parse(requestedAt) >= olderThan);

  const asking: { info: ConversationInfo; requests: Promise<Answer> }[] = [];
  const unanswered: unknown[] = [];
  const answered = async function* (): AsyncGenerator<PendingApprovalInfo> {
    const next = asking.shift();
    if (next === undefined) return;
    const { id, agent } = next.info;
    const answer = await next.requests;
    if ('error' in answer) {
      if (filter.onUnanswered === undefined) unanswered.push(answer.error);
      else filter.onUnanswered(id, answer.error);
      return;
    }
    for (const request of answer.requests.filter(fits)) {
      yield { conversationId: id, agent, request };
    }
  };
  for await (const info of listWithApprovals(context, filter.agent)) {
    asking.push({ info, requests: approvalsOf(context, info.id) });
    if (asking.length >= CONCURRENCY) yield* answered();
  }
  while (asking.length > 0) yield* answered();
  if (unanswered.length > 0) throw unanswered[0];
}

type Answer = { readonly requests: readonly ApprovalRequest[] } | { readonly error: unknown };

/** The approvals that wait in one conversation. */
export function conversationApprovals(
  context: ClientContext,
  conversationId: string,
): Promise<readonly ApprovalRequest[]> {
  return queryAll<ApprovalRequest>(context, conversationId, QUERIES.approvals);
}

async function approvalsOf(context: ClientContext, conversationId: string): Promise<Answer> {
  try {
    return { requests: await conversationApprovals(context, conversationId) };
  } catch (error) {
    // The index may name a conversation that is gone by now: it waits for nobody.
    return error instanceof ConversationNotFound ? { requests: [] } : { error };
  }
}
