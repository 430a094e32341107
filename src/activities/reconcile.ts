import { Context } from '@temporalio/activity';
import type { CallInput, ReconcileOutput } from '../core/activity-shapes.ts';
import type { ActivityEnvironment } from './environment.ts';
import { endedByShutdown } from './attempt-failure.ts';
import { describeError } from './describe-error.ts';
import { startHeartbeat } from './heartbeat.ts';
import { watchInterruptions } from './interruptions.ts';
import { prepareCall, type PreparedCall } from './prepare-call.ts';
import { createRunningCalls, type RunningCallHandle, type RunningCalls } from './running-calls.ts';
import { inScope } from './run-tool.ts';
import type { Ended } from './run-to-end.ts';
import { settleOutput } from './settle-output.ts';
import { settleReturn, type Settlement } from './settle-ending.ts';
import { createToolContext } from './tool-context.ts';

/**
 * The activity `perdure.reconcile`: after a lost attempt, the tool's own `reconcile` finds out from
 * outside whether the effect happened. `done` settles the call with its output; `not_done` leaves
 * the decision to the workflow; anything else (`unknown`, a throw, a hang, no answer of that shape)
 * settles it as `outcome_unknown`.
 */
export function createReconcile(
  environment: ActivityEnvironment,
  options: { readonly runningCalls?: RunningCalls } = {},
): (input: CallInput) => Promise<ReconcileOutput> {
  const running = options.runningCalls ?? createRunningCalls();
  return async function reconcile(input) {
    const context = Context.current();
    const stopHeartbeat = startHeartbeat(context, () => ({ worker: environment.identity }));
    const handle = running.begin({ tool: input.tool, key: input.key });
    // To ask is to read: it may be asked again elsewhere.
    handle.setEffect('read');
    try {
      return await runReconcile(environment, context, input, handle);
    } finally {
      handle.end();
      stopHeartbeat();
    }
  };
}

async function runReconcile(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
  handle: RunningCallHandle,
): Promise<ReconcileOutput> {
  const preparation = await prepareCall(environment, context, input);
  if (preparation.kind === 'settled') {
    const shown = { effect: 'once', maxResultChars: 20_000 } as const;
    const settlement = unknownOutcome(preparation.outcome.message);
    const output = await settleOutput(environment, context, input, settlement, shown);
    return { status: 'unknown', output };
  }
  const { call } = preparation;
  const settlement = await ask(environment, context, input, call, handle);
  if (settlement === 'not_done') return { status: 'not_done' };
  const output = await settleOutput(environment, context, input, settlement, call.tool);
  return { status: settlement.outcome === 'outcome_unknown' ? 'unknown' : 'done', output };
}

async function ask(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
  call: PreparedCall,
  handle: RunningCallHandle,
): Promise<Settlement | 'not_done'> {
  const { reconcile } = call.code;
  if (reconcile === undefined) return unknownOutcome('The tool has no way to find out.');
  const { info } = context;
  const ledgerEntry = environment.ledger.begin({
    taskToken: info.base64TaskToken,
    ...call.location,
    activityId: info.activityId,
    activityType: info.activityType,
  });
  const interruptions = watchInterruptions(context, {
    waitsForShutdown: false,
    shutdown: handle.shutdown,
  });
  interruptions.limit(call.tool.timeoutMs);
  const { toolContext, end } = createToolContext({
    temporal: context,
    input,
    spec: call.spec,
    tool: { ...call.tool, completion: 'return' },
    conversationId: call.conversationId,
    deps: environment.deps,
    events: environment.events,
    signal: interruptions.signal,
  });
  try {
    const run = { environment, context, input, call, handle, interruptions, ledgerEntry };
    const ended = await inScope(run, async () => {
      const parsed = await call.code.parse(call.input);
      if ('problems' in parsed) throw new Error(`the input no longer fits: ${parsed.problems[0]}`);
      // The tool's own schema made it: only the tool's author knows its type.
      return reconcile(parsed.value as never, toolContext);
    });
    return settleAnswer(ended, call);
  } finally {
    end();
    interruptions.end();
    ledgerEntry.returned();
  }
}

function settleAnswer(
  { ending, interruption }: Ended,
  call: PreparedCall,
): Settlement | 'not_done' {
  if (interruption === 'shutdown') {
    throw endedByShutdown(call.tool.name, ending.kind !== 'abandoned');
  }
  if (interruption !== undefined || ending.kind === 'abandoned') {
    return unknownOutcome('It could not be found out in time.');
  }
  if (ending.kind === 'threw') {
    return unknownOutcome(`It could not be found out: ${describeError(ending.error)}`);
  }
  const answer = ending.value as { readonly status?: unknown; readonly output?: unknown } | null;
  switch (answer?.status) {
    case 'done':
      return settleReturn(answer.output, call.tool);
    case 'not_done':
      return 'not_done';
    case 'unknown':
      return unknownOutcome('');
    default:
      return unknownOutcome('The tool gave no answer that says whether it happened.');
  }
}

function unknownOutcome(message: string): Settlement {
  return { outcome: 'outcome_unknown', effect: 'unknown', message };
}
