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
 * @throws {NoWorker}
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

  const asking: { info: ConversationInfo; requests: Promise<readonly ApprovalRequest[]> }[] = [];
  const answered = async function* (): AsyncGenerator<PendingApprovalInfo> {
    const next = asking.shift();
    if (next === undefined) return;
    for (const request of (await next.requests).filter(fits)) {
      yield { conversationId: next.info.id, agent: next.info.agent, request };
    }
  };
  for await (const info of listWithApprovals(context, filter.agent)) {
    const requests = approvalsOf(context, info.id);
    requests.catch(() => {}); // Reported when its turn comes.
    asking.push({ info, requests });
    if (asking.length >= CONCURRENCY) yield* answered();
  }
  while (asking.length > 0) yield* answered();
}

/** The approvals that wait in one conversation. */
export function conversationApprovals(
  context: ClientContext,
  conversationId: string,
): Promise<readonly ApprovalRequest[]> {
  return queryAll<ApprovalRequest>(context, conversationId, QUERIES.approvals);
}

/** The index may name a conversation that is gone by now: it waits for nobody. */
async function approvalsOf(
  context: ClientContext,
  conversationId: string,
): Promise<readonly ApprovalRequest[]> {
  try {
    return await conversationApprovals(context, conversationId);
  } catch (error) {
    if (error instanceof ConversationNotFound) return [];
    throw error;
  }
}
