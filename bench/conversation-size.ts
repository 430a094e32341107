import type { Client } from '@temporalio/client';

/** What a conversation, or a hand-written loop, takes at the server. */
export interface ConversationSize {
  /** Of history, over all runs. */
  readonly bytes: number;
  readonly events: number;
  readonly runs: number;
  readonly largestRunBytes: number;
  readonly largestRunEvents: number;
}

/** Adds up all runs of a chain, the newest first. */
export async function conversationSize(temporal: Client, id: string): Promise<ConversationSize> {
  let size = { bytes: 0, events: 0, runs: 0, largestRunBytes: 0, largestRunEvents: 0 };
  let runId: string | undefined = (await temporal.workflow.getHandle(id).describe()).runId;
  while (runId !== undefined) {
    const run = await temporal.workflow.getHandle(id, runId).describe();
    const { historySize = 0, historyLength } = run;
    size = {
      bytes: size.bytes + historySize,
      events: size.events + historyLength,
      runs: size.runs + 1,
      largestRunBytes: Math.max(size.largestRunBytes, historySize),
      largestRunEvents: Math.max(size.largestRunEvents, historyLength),
    };
    runId = await predecessor(temporal, id, runId);
  }
  return size;
}

async function predecessor(
  temporal: Client,
  workflowId: string,
  runId: string,
): Promise<string | undefined> {
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
    namespace: temporal.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return started?.continuedExecutionRunId || undefined;
}
