import { SEARCH_ATTRIBUTES } from '../core/names.ts';
import type { Status, StatusAnswer } from '../core/status.ts';
import type { ClientContext } from './client-context.ts';
import {
  type ConversationInfo,
  conversationInfo,
  type ConversationLife,
  LIFE_IN_QUERIES,
  PROBLEMS_ATTRIBUTE,
} from './conversation-info.ts';
import { queryConversation } from './query-conversation.ts';
import { isInvalidArgument, typed } from './to-client-error.ts';
import { all, equals, oneOf } from './visibility-query.ts';

export interface ListFilter {
  readonly agent?: string | undefined;
  /** One or several; default all. */
  readonly life?: ConversationLife | readonly ConversationLife[] | undefined;
  /** What running conversations are doing right now. */
  readonly status?: Status | undefined;
  readonly tenant?: string | undefined;
  readonly tag?: string | undefined;
  /** Only those whose workflow task keeps failing: a defect, or a deploy that does not fit them. */
  readonly stuck?: boolean | undefined;
}

/**
 * The conversations on the client's task queue that fit the filter, the newest first. In a
 * namespace without our search attributes the running ones are asked for their `status`; `tenant`
 * and `tag` cannot be told there.
 */
export async function* listConversations(
  context: ClientContext,
  filter: ListFilter = {},
): AsyncGenerator<ConversationInfo> {
  const { agent, status, tenant, tag, stuck } = filter;
  const attributes = all(
    status === undefined ? undefined : equals(SEARCH_ATTRIBUTES.status, status),
    tenant === undefined ? undefined : equals(SEARCH_ATTRIBUTES.tenant, tenant),
    tag === undefined ? undefined : equals(SEARCH_ATTRIBUTES.tags, tag),
  );
  const base = all(
    equals('TaskQueue', context.taskQueue),
    agent === undefined ? undefined : equals('WorkflowType', agent),
    livesQuery(filter),
    stuck === true ? `${PROBLEMS_ATTRIBUTE} IS NOT NULL` : undefined,
  );
  if (attributes === '') {
    yield* search(context, base);
    return;
  }
  try {
    yield* search(context, all(base, attributes));
  } catch (error) {
    if (!isInvalidArgument(error)) throw error;
    if (status === undefined || tenant !== undefined || tag !== undefined) {
      throw withoutAttributes(context, error);
    }
    for await (const info of search(context, base)) {
      const answer = await queryConversation<StatusAnswer>(context, info.id, 'status');
      if (answer.status === status) yield { ...info, status, pending: answer.pending };
    }
  }
}

/** Running conversations that wait for a person; all running ones where the server cannot tell. */
export async function* listWithApprovals(
  context: ClientContext,
  agent?: string,
): AsyncGenerator<ConversationInfo> {
  const base = all(
    equals('TaskQueue', context.taskQueue),
    equals('ExecutionStatus', 'Running'),
    agent === undefined ? undefined : equals('WorkflowType', agent),
  );
  try {
    yield* search(context, all(base, `${SEARCH_ATTRIBUTES.pending} > 0`));
  } catch (error) {
    if (!isInvalidArgument(error)) throw error;
    yield* search(context, base);
  }
}

function livesQuery({ life, status }: ListFilter): string {
  if (status !== undefined) return equals('ExecutionStatus', LIFE_IN_QUERIES.running);
  if (life === undefined) return `ExecutionStatus != 'ContinuedAsNew'`;
  const lives = typeof life === 'string' ? [life] : life;
  return oneOf(
    'ExecutionStatus',
    lives.map((each) => LIFE_IN_QUERIES[each]),
  );
}

async function* search(context: ClientContext, query: string): AsyncGenerator<ConversationInfo> {
  const executions = context.client.workflow.list({ query })[Symbol.asyncIterator]();
  for (;;) {
    const next = await typed(context, () => executions.next());
    if (next.done === true) return;
    const info = conversationInfo(next.value);
    if (info !== undefined) yield info;
  }
}

function withoutAttributes({ namespace }: ClientContext, cause: unknown): Error {
  return new Error(
    `the namespace "${namespace}" does not have our search attributes, so tenants and tags cannot be told: ` +
      'register them (perdure doctor --fix)',
    { cause },
  );
}
