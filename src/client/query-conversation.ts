import { QueryNotRegisteredError, QueryRejectedError } from '@temporalio/client';
import type { Json } from '../core/json.ts';
import { RAN_AHEAD } from '../core/ran-ahead.ts';
import type { Page } from '../core/status.ts';
import type { ClientContext } from './client-context.ts';
import { ConversationStuck } from './errors/conversation-stuck.ts';
import { NoWorker } from './errors/no-worker.ts';
import { grpcCode, grpcDetails, isDeadline, typed } from './to-client-error.ts';

/** gRPC FAILED_PRECONDITION: no worker has polled lately, or the workflow task fails. */
const CANNOT_ANSWER = 9;
/** Times that a worker may run ahead of the history and give up, for one question. */
const MAX_ASKED = 3;

/**
 * Asks a conversation. Works for one that has ended too, while a worker runs.
 * @throws {NoWorker} when none answers within the client's patience.
 * @throws {ConversationStuck} when its workflow task keeps failing.
 */
export async function queryConversation<Answer>(
  context: ClientContext,
  conversationId: string,
  name: string,
  ...args: Json[]
): Promise<Answer> {
  const { client, patience } = context;
  const ask = () =>
    typed({ ...context, conversationId }, () =>
      client.withDeadline(Date.now() + patience.queryMs, () =>
        client.workflow.getHandle(conversationId).query<Answer, Json[]>(name, ...args),
      ),
    );
  try {
    return await againIfAhead(ask);
  } catch (error) {
    const cannotAnswer = grpcCode(error) === CANNOT_ANSWER;
    if (cannotAnswer && /task in failed state/i.test(grpcDetails(error))) {
      throw new ConversationStuck(conversationId, { cause: error });
    }
    if (cannotAnswer || isDeadline(error)) {
      throw new NoWorker(conversationId, name, { cause: error });
    }
    if (error instanceof QueryNotRegisteredError || error instanceof QueryRejectedError) {
      throw new Error(
        `workflow "${conversationId}" does not answer "${name}": it is no Perdure conversation`,
        { cause: error },
      );
    }
    throw error;
  }
}

async function againIfAhead<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let asked = 1; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      const ahead = error instanceof Error && error.message.includes(RAN_AHEAD);
      if (!ahead || asked === MAX_ASKED) throw error;
    }
  }
}

/** All items of a paged query. */
export async function queryAll<Item>(
  context: ClientContext,
  conversationId: string,
  name: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let from: number | undefined = 0;
  while (from !== undefined) {
    const page: Page<Item> = await queryConversation(context, conversationId, name, { from });
    items.push(...page.items);
    from = page.next;
  }
  return items;
}
