import type { ClientContext } from './client-context.ts';
import { ConversationClosed } from './errors/conversation-closed.ts';
import { toClientError } from './to-client-error.ts';

/** What "not found" of a signal or an update means: the conversation has ended, or there is none. */
export async function closedOrMissing(
  context: ClientContext,
  conversationId: string,
  error: unknown,
): Promise<unknown> {
  try {
    await context.client.workflow.getHandle(conversationId).describe();
    return new ConversationClosed(conversationId, { cause: error });
  } catch (missing) {
    return toClientError(missing, { ...context, conversationId });
  }
}
