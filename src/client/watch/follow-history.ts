import type { WorkflowService } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import type { ClientContext } from '../client-context.ts';
import { withSignal } from '../with-signal.ts';
import { grpcCode, isDeadline, toClientError, typed } from '../to-client-error.ts';

export type HistoryEvent = NonNullable<History['events']>[number];

export interface HistoryPage {
  readonly run: string;
  readonly events: readonly HistoryEvent[];
  /** Whether this was all that was recorded when it was asked for. */
  readonly isNewest: boolean;
}

export interface FollowOptions {
  /** Wait for what is recorded from now on, until the conversation has ended. */
  readonly live: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The server answers a long poll within 20 s; one that takes much longer is dead. */
const POLL_DEADLINE_MS = 60_000;
const NOT_FOUND = 5;

/**
 * The recorded events of a conversation over all its runs that the server still has, oldest first;
 * then, with `live`, new ones as they are recorded. Needs no worker.
 * @throws {ConversationNotFound}
 */
export async function* followHistory(
  context: ClientContext,
  workflowId: string,
  options: FollowOptions,
): AsyncGenerator<HistoryPage> {
  const asked = { ...context, conversationId: workflowId };
  const { runId, historyLength } = await typed(asked, () =>
    context.client.workflow.getHandle(workflowId).describe(),
  );
  const runs = await runsUpTo(context, { workflowId, runId });
  for (let next = runs.shift(); next !== undefined; next = runs.shift()) {
    const isLast = runs.length === 0;
    const run = followRun(
      context,
      { workflowId, runId: next },
      { ...options, live: options.live && isLast },
    );
    let successor: string | undefined;
    for await (const events of run) {
      successor ??= events.map(successorOf).find((id) => id !== undefined);
      const recorded = Number(events.at(-1)?.eventId ?? 0);
      const isNewest = isLast && (next !== runId || recorded >= historyLength);
      yield { run: next, events, isNewest: isNewest && successor === undefined };
    }
    if (isLast && options.live && successor !== undefined) runs.push(successor);
  }
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** The run and those before it, oldest first, as far as the server still has them. */
async function runsUpTo(context: ClientContext, newest: Execution): Promise<string[]> {
  const { workflowService } = context.client;
  const runs = [newest.runId];
  for (;;) {
    const runId = runs[0] ?? newest.runId;
    try {
      const { history } = await workflowService.getWorkflowExecutionHistory({
        namespace: context.namespace,
        execution: { workflowId: newest.workflowId, runId },
        maximumPageSize: 1,
      });
      const before =
        history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
      if (!before) return runs;
      runs.unshift(before);
    } catch (error) {
      if (grpcCode(error) !== NOT_FOUND || runs.length === 1) throw error;
      return runs.slice(1);
    }
  }
}

type Page = Awaited<ReturnType<WorkflowService['getWorkflowExecutionHistory']>>;

async function* followRun(
  context: ClientContext,
  execution: Execution,
  { live, signal }: FollowOptions,
): AsyncGenerator<readonly HistoryEvent[]> {
  const { client, namespace } = context;
  let nextPageToken: Uint8Array | null = null;
  do {
    const token: Uint8Array | null = nextPageToken;
    const poll = (): Promise<Page> =>
      client.withDeadline(Date.now() + POLL_DEADLINE_MS, () =>
        client.workflowService.getWorkflowExecutionHistory({
          namespace,
          execution,
          nextPageToken: token,
          waitNewEvent: live,
        }),
      );
    try {
      const page: Page = await withSignal(client, signal, poll);
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : null;
      yield page.history?.events ?? [];
    } catch (error) {
      signal?.throwIfAborted();
      if (!live || !isDeadline(error)) throw toClientError(error, { ...context });
    }
  } while (nextPageToken !== null);
}

/** The run that goes on after this event. */
function successorOf(event: HistoryEvent): string | undefined {
  const id =
    event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ??
    event.workflowExecutionFailedEventAttributes?.newExecutionRunId ??
    event.workflowExecutionTimedOutEventAttributes?.newExecutionRunId ??
    event.workflowExecutionCompletedEventAttributes?.newExecutionRunId;
  return id ? id : undefined;
}
