import { AsyncCompletionClient, type Client, isGrpcServiceError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { messageOf } from '../../core/describe-error.ts';
import { ATTEMPT_FAILURES } from '../../core/failure.ts';
import type { AttemptRecord } from './attempt-ledger.ts';
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
    await eachOf(byRun(attempts), async (ofRun) => {
      for (const together of inOrder(ofRun)) {
        await resetStickyQueue(client, together[0].record);
        const told = await Promise.all(
          together.map((attempt) => failAttempt(client, attempt, worker)),
        );
        const taken = told.filter(Boolean).length;
        reported += taken;
        settledBefore += told.length - taken;
      }
    });
    return { reported, settledBefore, problem: undefined };
  } catch (error) {
    const problem = messageOf(error);
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

async function resetStickyQueue(
  client: Client,
  { namespace, workflowId, runId }: AttemptRecord,
): Promise<void> {
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

type OfOneRun = readonly [LedgerAttempt, ...LedgerAttempt[]];

function byRun(attempts: readonly LedgerAttempt[]): readonly OfOneRun[] {
  const runs = new Map<string, [LedgerAttempt, ...LedgerAttempt[]]>();
  for (const attempt of attempts) {
    const { namespace, runId } = attempt.record;
    const ofRun = runs.get(`${namespace}/${runId}`);
    if (ofRun === undefined) runs.set(`${namespace}/${runId}`, [attempt]);
    else ofRun.push(attempt);
  }
  return [...runs.values()];
}

/**
 * What ran goes first, all at once. Of what had returned the server knows nearly everything, and when
 * it refuses something of a run it forgets that the run's sticky queue was reset: so one by one, the
 * newest first, each after a reset of its own.
 */
function inOrder(ofRun: OfOneRun): readonly OfOneRun[] {
  const [first, ...more] = ofRun.filter(({ returned }) => !returned);
  const returned = ofRun.filter((attempt) => attempt.returned).toReversed();
  return [
    ...(first === undefined ? [] : [[first, ...more] as const]),
    ...returned.map((attempt) => [attempt] as const),
  ];
}

async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(act));
  }
}
