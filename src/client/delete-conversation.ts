import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientContext } from './client-context.ts';
import { checkBlobStore } from './check-blob-store.ts';
import { ConversationRunning } from './errors/conversation-running.ts';
import { type ConversationRun, describeRun, runsOf } from './runs-of.ts';
import { grpcCode, GRPC, typed } from './to-client-error.ts';

/** What there was of a conversation, and is removed. */
export interface DeletedConversation {
  /** Runs that the server had. */
  readonly runs: number;
  /** Absent: this client has no blob store. */
  readonly blobs?: number;
  /** Whether its live events were removed; false: this client has no event sink. */
  readonly events: boolean;
}

export interface DeleteOptions {
  /** A conversation that runs, too: it is ended at once, without a word to anybody. */
  readonly force?: boolean;
}

const PATIENCE_MS = 30_000;
const AGAIN_AFTER_MS = 100;

/**
 * Removes a conversation: first its histories, so that no worker writes for it any more, then its
 * blobs, then its events. What a removal that died has left, the next one removes. The server
 * forgets in the background: it may know the conversation for a minute more.
 */
export async function deleteConversation(
  context: ClientContext,
  conversationId: string,
  { force = false }: DeleteOptions,
): Promise<DeletedConversation> {
  const { blobs, events } = context;
  const runs = await runsOf(context, conversationId);
  if (runs.some(({ isRunning }) => isRunning) && !force) {
    throw new ConversationRunning(conversationId);
  }
  const [newest] = runs;
  if (newest !== undefined) await checkBlobStore(context, conversationId, newest.runId);
  for (const { runId } of runs) await deleteRun(context, conversationId, runId);
  await untilEnded(context, conversationId, runs);
  const removed = await blobs?.deleteConversation(conversationId);
  await events?.deleteConversation(conversationId);
  return {
    runs: runs.length,
    ...(removed === undefined ? {} : { blobs: removed }),
    events: events !== undefined,
  };
}

/** A run that is gone already is deleted. */
async function deleteRun(context: ClientContext, workflowId: string, runId: string): Promise<void> {
  const { client, namespace } = context;
  const workflowExecution = { workflowId, runId };
  try {
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  } catch (error) {
    if (grpcCode(error) !== GRPC.notFound) {
      throw await typed({ ...context, conversationId: workflowId }, () => Promise.reject(error));
    }
  }
}

/** What was started under the id meanwhile is another conversation: its blobs are not touched. */
async function untilEnded(
  context: ClientContext,
  conversationId: string,
  deleted: readonly ConversationRun[],
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const run = await describeRun(context, conversationId);
    if (run?.isRunning !== true) return;
    const isAnother = deleted.every(({ runId }) => runId !== run.runId);
    if (isAnother || Date.now() > deadline) throw new ConversationRunning(conversationId);
    await sleep(AGAIN_AFTER_MS);
  }
}
