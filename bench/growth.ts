import type { Client } from '@temporalio/client';
import type { Contest } from './contestants.ts';
import { table } from './measure.ts';

const BYTES = 5_000;
/** Above this the loop by value is known to be dead: its history has reached the server's limit. */
const BY_VALUE_STEPS = 110;

export interface Growth {
  readonly pairs: number;
  readonly bytes: number;
  readonly events: number;
  readonly runs: number;
  readonly largestRunBytes: number;
}

/** Bytes and events of history against the number of call/result pairs of 5 KB. */
export async function measureGrowth(
  contest: Contest,
  lengths: readonly number[],
): Promise<Growth[]> {
  const rows: (readonly (string | number)[])[] = [];
  const ours: Growth[] = [];
  for (const pairs of lengths) {
    const id = `growth-${pairs}`;
    await contest.ours.run(pairs, BYTES, id);
    const grown = await sizeOf(contest.temporal, id, pairs);
    ours.push(grown);
    const byValue =
      pairs <= BY_VALUE_STEPS
        ? await runByValue(contest, pairs)
        : 'dead (history limit of the server)';
    rows.push([
      String(pairs),
      grown.bytes / pairs,
      grown.events / pairs,
      String(grown.runs),
      grown.largestRunBytes,
      byValue,
    ]);
  }
  console.log('\nHistory of one conversation, results of 5 KB\n');
  console.log(
    table(
      [
        'pairs',
        'bytes per pair',
        'events per pair',
        'runs',
        'largest run, bytes',
        'by value, bytes per pair',
      ],
      rows,
    ),
  );
  return ours;
}

async function runByValue(contest: Contest, pairs: number): Promise<number | string> {
  const id = `growth-value-${pairs}`;
  try {
    await contest.byValue.run(pairs, BYTES, id);
  } catch (error) {
    return `died: ${error instanceof Error ? error.message : String(error)}`;
  }
  return (await sizeOf(contest.temporal, id, pairs)).bytes / pairs;
}

/** Over all runs of a conversation. */
async function sizeOf(temporal: Client, id: string, pairs: number): Promise<Growth> {
  let bytes = 0;
  let events = 0;
  let runs = 0;
  let largestRunBytes = 0;
  let runId: string | undefined = (await temporal.workflow.getHandle(id).describe()).runId;
  while (runId !== undefined) {
    const handle = temporal.workflow.getHandle(id, runId);
    const { historySize, historyLength } = await handle.describe();
    bytes += historySize ?? 0;
    events += historyLength;
    runs += 1;
    largestRunBytes = Math.max(largestRunBytes, historySize ?? 0);
    runId = await predecessor(temporal, id, runId);
  }
  return { pairs, bytes, events, runs, largestRunBytes };
}

async function predecessor(
  temporal: Client,
  workflowId: string,
  runId: string,
): Promise<string | undefined> {
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return started?.continuedExecutionRunId || undefined;
}
