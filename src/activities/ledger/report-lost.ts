import { AsyncCompletionClient, type Client, isGrpcServiceError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { ATTEMPT_FAILURES } from '../../core/failure.ts';
import type { LedgerAttempt } from './ledger-file.ts';

const CALL_TIMEOUT_MS = 5_000;
const AT_ONCE = 16;

/** gRPC status codes. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;

export interface LostReport {
  /** Attempts that the server now knows to be lost. */
  readonly reported: number;
  /** Attempts that the server had settled before, or does not know. */
  readonly settledBefore: number;
  /** Why the server could not be told of all; `undefined` when it was. */
  readonly problem: string | undefined;
}

/**
 * Tells the server that the process of these attempts is dead, and takes their workflows off its
 * sticky queue, which nobody polls any more. Telling twice does no harm.
 */
export async function reportLost(
  client: Client,
  attempts: readonly LedgerAttempt[],
  worker: string,
): Promise<LostReport> {
  let reported = 0;
  let settledBefore = 0;
  try {
    await eachOf(distinctRuns(attempts), (run) => resetStickyQueue(client, run));
    await eachOf(runningFirst(attempts), async (attempt) => {
      if (await failAttempt(client, attempt, worker)) reported += 1;
      else settledBefore += 1;
    });
    return { reported, settledBefore, problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { reported, settledBefore, problem };
  }
}

/** Leaves the gRPC status to be read: the client's own errors do not tell a refusal from a silence. */
class AttemptCompletionClient extends AsyncCompletionClient {
  protected override handleError(error: unknown): never {
    throw error;
  }
}

async function failAttempt(
  client: Client,
  { record }: LedgerAttempt,
  worker: string,
): Promise<boolean> {
  const { identity, dataConverter } = client.options;
  const completion = new AttemptCompletionClient({
    connection: client.connection,
    namespace: record.namespace,
    identity,
    dataConverter,
  });
  const failure = ApplicationFailure.create({
    type: ATTEMPT_FAILURES.workerLost,
    message: `The worker ${worker} died while it ran this attempt.`,
    nonRetryable: true,
  });
  return tell(client, () => completion.fail(Buffer.from(record.taskToken, 'base64'), failure));
}

interface Run {
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId: string;
}

async function resetStickyQueue(client: Client, run: Run): Promise<void> {
  const { namespace, workflowId, runId } = run;
  await tell(client, () =>
    client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId, runId } }),
  );
}

/** Whether the server took it. False: what it is about is over, or never was. Throws otherwise. */
async function tell(client: Client, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await client.connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);
    return true;
  } catch (error) {
    const code = isGrpcServiceError(error) ? Number(error.code) : undefined;
    if (code === NOT_FOUND || code === INVALID_ARGUMENT) return false;
    throw error;
  }
}

function distinctRuns(attempts: readonly LedgerAttempt[]): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { record } of attempts) {
    runs.set(`${record.namespace}/${record.runId}`, record);
  }
  return [...runs.values()];
}

function runningFirst(attempts: readonly LedgerAttempt[]): readonly LedgerAttempt[] {
  return attempts.toSorted((a, b) => Number(a.returned) - Number(b.returned));
}

async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(act));
  }
}
