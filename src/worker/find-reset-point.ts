import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { messageOf } from '../core/describe-error.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** What this version's workflow code makes of a history. */
export type Replayed =
  | { readonly replays: true }
  | {
      readonly replays: false;
      readonly reason: string;
      /** The newest workflow task to which a reset helps: the history before it replays. */
      readonly resetTo?: number;
    };

const JSON_PLAIN = 'json/plain';

/**
 * Replays a run's history on the workflow code of this version; where that fails, finds by halving
 * the last workflow task before which all replays.
 * @throws {Error} for a history that a payload codec has encoded, which is not read here
 */
export async function findResetPoint(workflowId: string, { events }: History): Promise<Replayed> {
  const all = events ?? [];
  const [input] = all[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const encoding = Buffer.from(input?.metadata?.['encoding'] ?? []).toString();
  if (input && encoding !== JSON_PLAIN) {
    throw new Error(
      `the history of "${workflowId}" is encoded ("${encoding}"): it cannot be replayed without the workers' payload codec`,
    );
  }
  const workflow = await workflowBundle();
  const problemOf = (length: number) =>
    replayProblem(workflow, workflowId, { events: all.slice(0, length) });
  const reason = await problemOf(all.length);
  if (reason === undefined) return { replays: true };
  const tasks = all.flatMap((event, index) =>
    event.workflowTaskCompletedEventAttributes ? [index] : [],
  );
  // Before the task at `good` all replays, before the one at `bad` it does not.
  let good = -1;
  let bad = tasks.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if ((await problemOf(tasks[middle] ?? 0)) === undefined) good = middle;
    else bad = middle;
  }
  const event = all[tasks[good] ?? -1];
  return {
    replays: false,
    reason,
    ...(event === undefined ? {} : { resetTo: Number(event.eventId) }),
  };
}

async function replayProblem(
  bundle: WorkflowBundleOption,
  workflowId: string,
  history: History,
): Promise<string | undefined> {
  try {
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
