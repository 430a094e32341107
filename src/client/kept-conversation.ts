import {
  type KeptConversation,
  readKeptConversation,
} from '../activities/transcript/kept-transcript.ts';
import type { ConversationResult } from '../core/status.ts';
import type { ClientContext } from './client-context.ts';
import { ConversationFailed } from './errors/conversation-failed.ts';
import { ConversationNotFound } from './errors/conversation-not-found.ts';

/** What the server says; of a conversation that it has let go, what the blob store has kept. */
export async function orKept<T>(
  { blobs }: ClientContext,
  conversationId: string,
  ask: () => Promise<T>,
  fromKept: (kept: KeptConversation) => T,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ConversationNotFound) || blobs === undefined) throw error;
    const kept = await readKeptConversation(blobs, conversationId);
    if (kept === undefined) throw error;
    return fromKept(kept);
  }
}

/** @throws {ConversationFailed} when it ended without a result */
export function keptResult(
  conversationId: string,
  { ending: { status, result, failure } }: KeptConversation,
): ConversationResult {
  if (status === 'COMPLETED' && result !== undefined) return result;
  const isCancelled = status === 'CANCELLED';
  const { type, message } = failure ?? { type: 'Cancelled', message: '' };
  throw new ConversationFailed(
    `conversation "${conversationId}" ${isCancelled ? 'was cancelled' : `failed (${type}): ${message}`}`,
    { conversationId, end: isCancelled ? 'cancelled' : 'failed', type, result },
  );
}
