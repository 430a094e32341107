import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { digestOf } from '../activities/transcript/digest.ts';
import { putValue } from '../blobs/stored-value.ts';
import { decodeCompletionToken } from '../core/completion-token.ts';
import type { Content } from '../core/content.ts';
import { type LaterAnswer, settleLater } from '../core/settle-later.ts';
import type { ClientContext } from './client-context.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { typed } from './to-client-error.ts';

/**
 * Completes a call whose tool handed out its token (`completion: 'later'`).
 * @throws {PerdureRefusal} `not_pending` when the call is settled already, or was cancelled
 * @throws {TypeError} for a `stateUpdate` that is no JSON Patch of at most 64 KiB
 */
export async function completeLater(
  context: ClientContext,
  token: string,
  answer: LaterAnswer,
): Promise<void> {
  const ticket = decodeCompletionToken(token);
  const { conversationId, key, tool } = ticket;
  const { client, blobs } = context;
  const keep =
    blobs === undefined
      ? {}
      : { keep: (content: Content) => putValue(blobs, conversationId, content) };
  const output = await settleLater(ticket, answer, { digestOf, ...keep });
  try {
    await typed({ ...context, conversationId }, () =>
      client.activity.complete(Buffer.from(ticket.taskToken, 'base64'), output),
    );
  } catch (error) {
    const isOver =
      error instanceof ActivityNotFoundError || error instanceof ActivityCancelledError;
    if (!isOver) throw error;
    throw new PerdureRefusal(
      {
        code: 'not_pending',
        message: `the call of "${tool}" waits for no result any more: it was completed, cancelled, or its conversation has ended`,
        key,
      },
      { cause: error },
    );
  }
}
