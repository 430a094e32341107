import { condition, sleep } from '@temporalio/workflow';
import type { ModelInput, ModelOutput } from '../core/activity-shapes.ts';
import type { RetryingCompletion } from '../core/conversation-state.ts';
import type { ModelFailureType } from '../core/failure.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { afterFailedCompletion } from '../core/retry-delay.ts';
import { describeFailure } from './describe-failure.ts';
import { countFailedAttempt, failedCompletion } from './failed-completion.ts';
import type { Memory } from './memory.ts';
import { schedule } from './schedule.ts';

/** Longer than the longest legal generation; the adapter's idle timer is the real guard. */
const COMPLETION_MS = 60 * 60_000;

/** Between looks for a worker that knows what this one does not. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export type ModelOutcome =
  | { readonly output: ModelOutput; readonly activityId: string; readonly sent: number }
  | { readonly failure: GivenUp }
  /** The run was to be handed over while it waited: `running.retrying` says how to go on. */
  | 'hand_over';

export interface GivenUp {
  readonly type: ModelFailureType;
  readonly message: string;
  /** The request was refused, and perhaps for an image or a document in it. */
  readonly hasParts: boolean;
}

/** A fallback serves where the fault lies with the service or the account, not with the request. */
function mayFallBack(type: ModelFailureType): boolean {
  return !['invalid_request', 'too_large', 'context_overflow', 'refused', 'cancelled'].includes(
    type,
  );
}

/** A wait that the service asks for is no use where another model serves before it is over. */
function isTooLong(
  { delayMs, countsAgainstPatience }: { delayMs: number; countsAgainstPatience: boolean },
  patienceMs: number,
  fallback: string | undefined,
): boolean {
  return fallback !== undefined && !countsAgainstPatience && delayMs > patienceMs;
}

/**
 * One completion, through failures, waits and fallbacks, until there is a turn or the patience with
 * the last model is used up (design §7). A provider may ask to wait for a day, and messages go on
 * arriving: the run may be handed over in such a wait.
 */
export async function completeModel(
  memory: Memory,
  request: Omit<ModelInput, 'attempt' | 'modelIndex' | 'items' | 'position'>,
  handOverDue: () => boolean,
): Promise<ModelOutcome> {
  const { settings } = memory.state.spec;
  const baseId = activityIds.model(memory.state.turn, memory.state.step);
  const retrying = takeRetrying(memory);
  let failed = retrying?.failed ?? { count: 0, spentMs: 0 };
  let unknownForMs = 0;
  let patienceOver = false;
  let wait = retrying && { untilMs: retrying.notBeforeMs, why: 'the model is tried again' };
  for (let n = (retrying?.attempts ?? 0) + 1; ; n++) {
    if (wait !== undefined && (await waited(memory, wait, handOverDue)) === 'hand_over') {
      keepRetrying(memory, { attempts: n - 1, failed, notBeforeMs: wait.untilMs });
      return 'hand_over';
    }
    wait = undefined;
    const { modelIndex } = memory.state;
    const model = settings.models[modelIndex] ?? 'model';
    const activityId = activityIds.rerun(baseId, n);
    const input: ModelInput = {
      ...request,
      position: memory.state.position,
      items: memory.state.items,
      modelIndex,
      attempt: n,
      ...(patienceOver ? { patienceOver } : {}),
    };
    try {
      const output = await schedule<ModelOutput>(memory, {
        type: ACTIVITIES.model,
        activityId,
        input,
        summary: model,
        taskQueue: settings.modelTaskQueues?.[model],
        startToCloseMs: COMPLETION_MS,
        onCancel: 'try',
      });
      if (memory.status === 'waiting_model') memory.show('running');
      return { output, activityId, sent: input.items.length };
    } catch (error) {
      const described = describeFailure(error);
      countFailedAttempt(memory, model, described);
      if (described.kind === 'not_known_here' && !patienceOver) {
        patienceOver = unknownForMs >= described.patienceMs;
        const waitMs = patienceOver
          ? 0
          : Math.min(FIRST_WAIT_MS * 2 ** Math.min(n - 1, 10), LONGEST_WAIT_MS);
        unknownForMs += waitMs;
        await waitForWorker(memory, waitMs, described.message);
        continue;
      }
      const failure = failedCompletion(described);
      failed = { count: failed.count + 1, spentMs: failed.spentMs + failure.ranMs };
      const next = afterFailedCompletion(
        failure.type,
        { ...failed, patienceMs: settings.modelPatienceMs },
        failure.retryAfterMs,
        Math.random(),
      );
      const fallback = settings.models[modelIndex + 1];
      if (next.kind === 'again' && !isTooLong(next, settings.modelPatienceMs, fallback)) {
        const delayMs = failure.atOnce && failed.count <= 1 ? 0 : next.delayMs;
        if (next.countsAgainstPatience) failed = { ...failed, spentMs: failed.spentMs + delayMs };
        wait = { untilMs: Date.now() + delayMs, why: `${model}: ${failure.message}` };
        continue;
      }
      if (fallback === undefined || !mayFallBack(failure.type)) {
        // The next turn asks the first one again: it may be back by then.
        memory.update({ modelIndex: 0 });
        const { type, message, hasParts } = failure;
        return { failure: { type, message, hasParts } };
      }
      memory.update({ modelIndex: modelIndex + 1 });
      failed = { count: 0, spentMs: 0 };
      memory.note(
        'model_switched',
        `${model} gave up (${failure.type}: ${failure.message}); ${fallback} goes on`,
        new Date().toISOString(),
      );
    }
  }
}

interface Wait {
  readonly untilMs: number;
  readonly why: string;
}

async function waited(
  memory: Memory,
  { untilMs, why }: Wait,
  handOverDue: () => boolean,
): Promise<'waited' | 'hand_over'> {
  const delayMs = untilMs - Date.now();
  if (delayMs <= 0) return 'waited';
  memory.show('waiting_model', { untilMs, for: why });
  const summary = `waiting for the model: ${why}`.slice(0, 130);
  return (await condition(handOverDue, delayMs, { summary })) ? 'hand_over' : 'waited';
}

function takeRetrying(memory: Memory): RetryingCompletion | undefined {
  if (memory.state.running === undefined) return undefined;
  const { retrying, ...running } = memory.state.running;
  if (retrying !== undefined) memory.update({ running });
  return retrying;
}

function keepRetrying(memory: Memory, retrying: RetryingCompletion): void {
  const { running } = memory.state;
  if (running !== undefined) memory.update({ running: { ...running, retrying } });
}

async function waitForWorker(memory: Memory, waitMs: number, why: string): Promise<void> {
  if (waitMs === 0) return;
  memory.show('waiting_worker', { untilMs: Date.now() + waitMs, for: why });
  await sleep(waitMs, { summary: 'waiting for a worker that knows it' });
  memory.show('running');
}
