import {
  ApplicationFailure,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../core/json.ts';
import { REFUSAL_TYPE, type Refusal } from '../core/refusal.ts';
import type { ClientContext } from './client-context.ts';
import { closedOrMissing } from './closed-or-missing.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { refusalIn } from './refusal-in.ts';
import { grpcCode, toClientError } from './to-client-error.ts';

export interface Sending {
  readonly update: { readonly name: string; readonly payload: Json };
  /** Says the same, with the same id, for when no worker answers. */
  readonly signal: { readonly name: string; readonly payload: Json };
  /** The message's id or the verdict's: by it the conversation takes what arrives twice once. */
  readonly id: string;
}

export type Sent<Answer> =
  { readonly via: 'update'; readonly answer: Answer } | { readonly via: 'signal' };

/** gRPC: the run has had, or has in flight, as many updates as the server allows. */
const UPDATES_EXHAUSTED = new Set([8, 9]);
/** gRPC: the server is too busy for the signal, too, or did not say in time whether it has it. */
const TOO_BUSY = new Set([4, 8]);
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Sends an update; when no worker takes it in time, or workers let it fall, a signal that says the
 * same, which the server keeps until a worker is back. Both may arrive: the conversation knows them
 * as one by their id.
 * @throws {PerdureRefusal} when the conversation refused. `handing_over` was retried before.
 */
export async function updateOrSignal<Answer>(
  context: ClientContext,
  conversationId: string,
  sending: Sending,
): Promise<Sent<Answer>> {
  const giveUpAt = Date.now() + context.patience.handOverMs;
  let updateId = sending.id;
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendUpdate<Answer>(context, conversationId, sending, updateId);
    } catch (error) {
      const again = retryOf(error);
      const isLate = Date.now() > giveUpAt;
      if (isLate && isUnprocessed(error)) return await sendSignal(context, conversationId, sending);
      if (again === undefined || isLate) {
        throw await meaningOf(context, conversationId, error);
      }
      // A refusal is the recorded answer to its update id: the same id would only repeat it.
      if (again === 'new id') updateId = `${sending.id}#${attempt + 1}`;
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS));
    }
  }
}

async function sendUpdate<Answer>(
  context: ClientContext,
  conversationId: string,
  sending: Sending,
  updateId: string,
): Promise<Sent<Answer>> {
  const { client, patience } = context;
  const handle = client.workflow.getHandle(conversationId);
  try {
    const update = await client.withDeadline(Date.now() + patience.acceptMs, () =>
      handle.startUpdate<Answer, [Json]>(sending.update.name, {
        args: [sending.update.payload],
        updateId,
        waitForStage: 'ACCEPTED',
      }),
    );
    const answer = await client.withDeadline(Date.now() + patience.answerMs, () => update.result());
    return { via: 'update', answer };
  } catch (error) {
    const unanswered =
      error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
      UPDATES_EXHAUSTED.has(grpcCode(error) ?? 0);
    if (!unanswered) throw error;
    return sendSignal(context, conversationId, sending);
  }
}

async function sendSignal(
  { client }: ClientContext,
  conversationId: string,
  { signal }: Sending,
): Promise<{ readonly via: 'signal' }> {
  await client.workflow.getHandle(conversationId).signal(signal.name, signal.payload);
  return { via: 'signal' };
}

function retryOf(error: unknown): 'same id' | 'new id' | undefined {
  const failure = failureOf(error);
  if (failure?.type === 'AcceptedUpdateCompletedWorkflow') return 'same id';
  if (isUnprocessed(error)) return 'same id';
  if (refusalOf(failure)?.code === 'handing_over') return 'new id';
  if (TOO_BUSY.has(grpcCode(error) ?? 0)) return 'same id';
  return undefined;
}

/** A worker completed the task that brought the update and did not look at it: it is as if never sent. */
function isUnprocessed(error: unknown): boolean {
  return failureOf(error)?.type === 'UnprocessedUpdate';
}

async function meaningOf(
  context: ClientContext,
  conversationId: string,
  error: unknown,
): Promise<unknown> {
  if (error instanceof WorkflowNotFoundError) {
    return closedOrMissing(context, conversationId, error);
  }
  const failure = failureOf(error);
  if (failure?.type === 'AcceptedUpdateCompletedWorkflow') {
    return closedOrMissing(context, conversationId, failure);
  }
  const refusal = refusalOf(failure);
  if (refusal !== undefined) return new PerdureRefusal(refusal, { cause: error });
  return toClientError(error, { ...context, conversationId });
}

function failureOf(error: unknown): ApplicationFailure | undefined {
  return error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure
    ? error.cause
    : undefined;
}

function refusalOf(failure: ApplicationFailure | undefined): Refusal | undefined {
  return failure?.type === REFUSAL_TYPE ? refusalIn(failure.details?.[0]) : undefined;
}
