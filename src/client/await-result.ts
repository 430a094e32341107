import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import { loadValue } from '../blobs/stored-value.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { ConversationResult } from '../core/status.ts';
import { type BlobReference, isBlobReference } from '../core/stored.ts';
import type { ClientContext } from './client-context.ts';
import { ConversationFailed } from './errors/conversation-failed.ts';
import { withSignal } from './with-signal.ts';
import { typed } from './to-client-error.ts';

/** What a conversation ended with. `Output` is the type of the agent's structured answer. */
export interface CompletedConversation<Output = Json> extends Omit<
  ConversationResult,
  'text' | 'output'
> {
  /** The last turn's text; whole, unless `textBlob` says otherwise. */
  readonly text: string;
  /** Set when the text is too large for a result and this client has no blob store: `text` is its beginning. */
  readonly textBlob?: BlobReference;
  /** The structured answer, where the agent declares an `output` schema. */
  readonly output?: Output;
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
  try {
    const result: ConversationResult = await typed({ ...context, conversationId }, () =>
      withSignal(client, signal, wait),
    );
    return await withText<Output>(context, conversationId, result);
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw failedConversation(conversationId, error);
    signal?.throwIfAborted();
    throw error;
  }
}

async function withText<Output>(
  { blobs }: ClientContext,
  conversationId: string,
  result: ConversationResult,
): Promise<CompletedConversation<Output>> {
  const { text, output, ...rest } = result;
  const given = output === undefined ? {} : { output: output as Output };
  if (!isBlobReference(text)) return { ...rest, ...given, text };
  if (blobs === undefined) return { ...rest, ...given, text: text.preview, textBlob: text };
  return { ...rest, ...given, text: await loadValue<string>(blobs, conversationId, text) };
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
