import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import { BlobMissing } from '../blobs/blob-store.ts';
import { loadValue } from '../blobs/stored-value.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { ConversationResult } from '../core/status.ts';
import { type BlobReference, isBlobReference, type Stored } from '../core/stored.ts';
import type { ClientContext } from './client-context.ts';
import { ConversationFailed } from './errors/conversation-failed.ts';
import { keptResult, orKept } from './kept-conversation.ts';
import { withSignal } from './with-signal.ts';
import { typed } from './to-client-error.ts';

/** What a conversation ended with. `Output` is the type of the agent's structured answer. */
export interface CompletedConversation<Output = Json> extends Omit<
  ConversationResult,
  'text' | 'output'
> {
  /** The last turn's text; whole, unless `textBlob` says otherwise. */
  readonly text: string;
  /**
   * Set when the text is too large for a result, and this client has no blob store or the store has
   * lost it: `text` is its beginning.
   */
  readonly textBlob?: BlobReference;
  /** The structured answer, where the agent declares an `output` schema. */
  readonly output?: Output;
  /** Set in its place when it is too large for a result, and there is no blob store or it is lost there. */
  readonly outputBlob?: BlobReference;
}

/**
 * Waits until the conversation ends, however many runs it takes.
 * @throws {ConversationFailed} when it failed, was cancelled or was ended by an operator.
 */
export async function awaitResult<Output>(
  context: ClientContext,
  conversationId: string,
  signal?: AbortSignal,
): Promise<CompletedConversation<Output>> {
  const { client } = context;
  const wait = () => client.workflow.getHandle(conversationId).result();
  const awaited = () =>
    typed<ConversationResult>({ ...context, conversationId }, () =>
      withSignal(client, signal, wait),
    );
  try {
    const result = await orKept(context, conversationId, awaited, (kept) =>
      keptResult(conversationId, kept),
    );
    return await withContent<Output>(context, conversationId, result);
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw failedConversation(conversationId, error);
    signal?.throwIfAborted();
    throw error;
  }
}

async function withContent<Output>(
  { blobs }: ClientContext,
  conversationId: string,
  { text, output, ...rest }: ConversationResult,
): Promise<CompletedConversation<Output>> {
  const load = async <T>(stored: Stored<T>): Promise<Stored<T>> => {
    if (blobs === undefined) return stored;
    return loadValue(blobs, conversationId, stored).catch((error: unknown) => {
      if (error instanceof BlobMissing) return stored;
      throw error;
    });
  };
  const [words, answer] = [await load(text), await load(output)];
  return {
    ...rest,
    ...(answer === undefined
      ? {}
      : isBlobReference(answer)
        ? { outputBlob: answer }
        : { output: answer as Output }),
    ...(isBlobReference(words) ? { text: words.preview, textBlob: words } : { text: words }),
  };
}

function failedConversation(
  conversationId: string,
  error: WorkflowFailedError,
): ConversationFailed {
  const { cause } = error;
  const say = (words: string) => `conversation "${conversationId}" ${words}`;
  if (cause instanceof ApplicationFailure) {
    const type = cause.type ?? 'Failed';
    return new ConversationFailed(
      say(`failed (${type}): ${cause.message}`),
      { conversationId, end: 'failed', type, result: resultIn(cause) },
      { cause: error },
    );
  }
  if (cause instanceof CancelledFailure) {
    return new ConversationFailed(
      say('was cancelled'),
      { conversationId, end: 'cancelled', type: 'Cancelled', result: resultIn(cause) },
      { cause: error },
    );
  }
  if (cause instanceof TerminatedFailure) {
    return new ConversationFailed(
      say(`was terminated: ${cause.message}`),
      { conversationId, end: 'terminated', type: 'Terminated' },
      { cause: error },
    );
  }
  const timedOut = cause instanceof TimeoutFailure;
  return new ConversationFailed(
    say(timedOut ? 'timed out' : `failed: ${cause?.message ?? error.message}`),
    timedOut
      ? { conversationId, end: 'timed_out', type: 'TimedOut' }
      : { conversationId, end: 'failed', type: cause?.name ?? 'Failed' },
    { cause: error },
  );
}

/** The result so far, in the details of a failure. */
function resultIn(failure: {
  readonly details?: readonly unknown[] | null | undefined;
}): ConversationResult | undefined {
  const details: unknown = failure.details?.[0];
  if (!isJsonObject(details) || typeof details['stopReason'] !== 'string') return undefined;
  return details as unknown as ConversationResult;
}
