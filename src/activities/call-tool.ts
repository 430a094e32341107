import { CompleteAsyncError, Context, type ApplicationFailure } from '@temporalio/activity';
import type { CallInput, CallOutput } from '../core/activity-shapes.ts';
import { positionOfKey } from '../core/call.ts';
import { effectAfter } from '../core/effect.ts';
import type { Outcome } from '../core/outcome.ts';
import { notKnownHere, secondStart } from './attempt-failure.ts';
import type { ActivityEnvironment } from './environment.ts';
import { startHeartbeat } from './heartbeat.ts';
import { watchInterruptions } from './interruptions.ts';
import { beginInLedger } from './ledger/begin-in-ledger.ts';
import { type Preparation, prepareUnlessStopped } from './prepare-call.ts';
import { type AttemptPlace, createRunningCalls, type RunningCalls } from './running-calls.ts';
import { runTool } from './run-tool.ts';
import { settleOutput, type ShownTool } from './settle-output.ts';
import { effectUnlessVouched, type Settlement } from './settle-ending.ts';

/**
 * The activity behind every tool: the worker's default activity, whose type is the tool's name.
 *
 * It completes with the call's one outcome, also when the call was stopped, took too long or failed.
 * It fails only when another attempt may settle the call: `NotKnownHere`, `StoreUnavailable` (both
 * before the tool began), `Transient`, `WorkerShutdown` (neither for a `once` tool), `SecondStart`.
 */
export function createCallTool(
  environment: ActivityEnvironment,
  options: { readonly runningCalls?: RunningCalls } = {},
): (input: CallInput) => Promise<CallOutput> {
  const running = options.runningCalls ?? createRunningCalls();
  return async function callTool(input) {
    const context = Context.current();
    if (!isCallInput(input)) throw noSuchActivity(environment, context);
    const stopHeartbeat = startHeartbeat(context, () => ({
      worker: environment.identity,
      running: running.calls.slice(0, 10).map(({ tool }) => tool),
    }));
    const handle = running.begin({ tool: input.tool, key: input.key });
    const ledgerEntry = beginInLedger(environment.ledger, context.info);
    const attempt = () => runAttempt(environment, context, input, { handle, ledgerEntry });
    let handedOut = false;
    try {
      return await (environment.around?.(attempt) ?? attempt());
    } catch (error) {
      handedOut = error instanceof CompleteAsyncError;
      throw error;
    } finally {
      // Another service has an attempt that was handed out: it must not be reported as lost.
      if (handedOut) ledgerEntry.end();
      else ledgerEntry.returned();
      const blocked = handle.blockedLoop();
      if (blocked !== undefined) context.log.warn(blocked, { key: input.key });
      handle.end();
      stopHeartbeat();
    }
  };
}

async function runAttempt(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
  { handle, ledgerEntry }: AttemptPlace,
): Promise<CallOutput> {
  const settle = (settlement: Settlement, tool: ShownTool): Promise<CallOutput> => {
    const effect = effectAfter(earlierEffect(input, context, tool), settlement.effect);
    const told = settlement.outcome === 'ok' ? settlement : { ...settlement, effect };
    return settleOutput(environment, context, input, told, tool);
  };
  const settleUnstarted = (outcome: Outcome): Promise<CallOutput> =>
    settle(outcome as Settlement, UNKNOWN_TOOL);

  if (context.info.activityType !== input.tool) {
    const message = `The activity is named "${context.info.activityType}", the call "${input.tool}".`;
    return settleUnstarted({ outcome: 'unknown_tool', effect: 'none', message });
  }
  const preparation = await prepareOnceOrAgain(environment, context, input);
  if (preparation === 'stopped') {
    return settleUnstarted({ outcome: 'cancelled', effect: 'none', message: '' });
  }
  if (preparation.kind === 'settled') return settleUnstarted(preparation.outcome);
  const { call } = preparation;
  handle.setEffect(call.tool.effect);
  const interruptions = watchInterruptions(context, {
    waitsForShutdown: call.tool.effect === 'once',
    shutdown: handle.shutdown,
  });
  try {
    const { key, tool } = input;
    const started = { type: 'started', key, tool, attempt: input.attempt } as const;
    environment.events.publish(call.conversationId, [started]);
    const parts = { environment, context, input, call, handle, interruptions, ledgerEntry };
    const settlement = await runTool(parts);
    if (settlement === 'later') throw new CompleteAsyncError();
    const isAwaited = interruptions.reason() !== 'lost';
    return await settle(settlement, { ...call.tool, isAwaited });
  } finally {
    interruptions.end();
  }
}

/** Temporal's own count of attempts is not the workflow's: of what it started before, nobody has told. */
function earlierEffect(input: CallInput, { info }: Context, { effect }: ShownTool) {
  return input.earlier ?? (wasStartedBefore(info) ? effectUnlessVouched(effect) : undefined);
}

/** A call that never began is shown as if its tool only read: there is nothing that must not be repeated. */
const UNKNOWN_TOOL: ShownTool = { effect: 'read', maxResultChars: 20_000 };

/**
 * Prepares the call, unless Temporal has started this attempt before: what that start did nobody here
 * knows. Then a `once` call is not run, and a preparation that fails does not say that nothing began.
 */
async function prepareOnceOrAgain(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
): Promise<Preparation | 'stopped'> {
  const { attempt } = context.info;
  if (!wasStartedBefore(context.info)) return prepareUnlessStopped(environment, context, input);
  const preparation = await prepareUnlessStopped(environment, context, input).catch(() => 'failed');
  const ready = typeof preparation === 'object' && preparation.kind === 'ready';
  if (!ready || preparation.call.tool.effect === 'once') throw secondStart(input.tool, attempt);
  return preparation;
}

/** When an operator resets an activity, its attempts are counted anew; when it was scheduled stays. */
function wasStartedBefore(info: Context['info']): boolean {
  return info.attempt > 1 || info.currentAttemptScheduledTimestampMs > info.scheduledTimestampMs;
}

function isCallInput(input: unknown): input is CallInput {
  if (typeof input !== 'object' || input === null || !('input' in input)) return false;
  const { spec, key, callId, tool } = input as Record<string, unknown>;
  if (![spec, key, callId, tool].every((value) => typeof value === 'string')) return false;
  try {
    positionOfKey(String(key));
    return true;
  } catch {
    return false;
  }
}

/** The default activity also gets what somebody else's workflow schedules by mistake. */
function noSuchActivity(environment: ActivityEnvironment, { info }: Context): ApplicationFailure {
  const known = [...environment.agents.values()].flatMap(({ tools }) =>
    tools.map(({ name }) => name),
  );
  return notKnownHere(
    `no activity "${info.activityType}" is registered on this worker, and what it was given is no tool call`,
    { known, patienceMs: environment.deployPatienceMs },
  );
}
