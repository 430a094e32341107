import type { ClientContext } from './client-context.ts';
import { ConversationNotFound } from './errors/conversation-not-found.ts';
import { typed } from './to-client-error.ts';
import { equals } from './visibility-query.ts';

export interface ConversationRun {
  readonly runId: string;
  readonly isRunning: boolean;
}

/**
 * The runs that the server has of a conversation, the newest first: those that follow one another
 * from the newest back, and all others that its index knows.
 */
export async function runsOf(
  context: ClientContext,
  conversationId: string,
): Promise<readonly ConversationRun[]> {
  const runs = new Map<string, ConversationRun>();
  for (let runId: string | undefined; ;) {
    const run = await describeRun(context, conversationId, runId);
    if (run === undefined || runs.has(run.runId)) break;
    runs.set(run.runId, run);
    runId = await predecessorOf(context, conversationId, run.runId);
    if (runId === undefined) break;
  }
  const query = equals('WorkflowId', conversationId);
  for await (const { runId } of context.client.workflow.list({ query })) {
    if (runs.has(runId)) continue;
    // The index is a moment behind: it may know what is deleted.
    const run = await describeRun(context, conversationId, runId);
    if (run !== undefined) runs.set(runId, run);
  }
  return [...runs.values()];
}

/** A run, or the newest one; undefined when the server does not have it (any more). */
export async function describeRun(
  context: ClientContext,
  conversationId: string,
  runId?: string,
): Promise<ConversationRun | undefined> {
  try {
    const described = await typed({ ...context, conversationId }, () =>
      context.client.workflow.getHandle(conversationId, runId).describe(),
    );
    return { runId: described.runId, isRunning: described.status.name === 'RUNNING' };
  } catch (error) {
    if (error instanceof ConversationNotFound) return undefined;
    throw error;
  }
}

async function predecessorOf(
  context: ClientContext,
  workflowId: string,
  runId: string,
): Promise<string | undefined> {
  const { client, namespace } = context;
  try {
    const { history } = await typed({ ...context, conversationId: workflowId }, () =>
      client.workflowService.getWorkflowExecutionHistory({
        namespace,
        execution: { workflowId, runId },
        maximumPageSize: 1,
      }),
    );
    const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    return started?.continuedExecutionRunId || undefined;
  } catch (error) {
    if (error instanceof ConversationNotFound) return undefined;
    throw error;
  }
}
