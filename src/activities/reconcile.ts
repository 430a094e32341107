import { Context } from '@temporalio/activity';
import type { CallInput, ReconcileOutput } from '../core/activity-shapes.ts';
import { describeError } from '../core/describe-error.ts';
import type { ActivityEnvironment } from './environment.ts';
import { endedByShutdown } from './attempt-failure.ts';
import { startHeartbeat } from './heartbeat.ts';
import { watchInterruptions } from './interruptions.ts';
import { beginInLedger } from './ledger/begin-in-ledger.ts';
import { type PreparedCall, prepareUnlessStopped } from './prepare-call.ts';
import { type AttemptPlace, createRunningCalls, type RunningCalls } from './running-calls.ts';
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
    const ledgerEntry = beginInLedger(environment.ledger, context.info);
    try {
      return await runReconcile(environment, context, input, { handle, ledgerEntry });
    } finally {
      ledgerEntry.returned();
      handle.end();
      stopHeartbeat();
    }
  };
}

async function runReconcile(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
  place: AttemptPlace,
): Promise<ReconcileOutput> {
  const preparation = await prepareUnlessStopped(environment, context, input);
  if (preparation === 'stopped' || preparation.kind === 'settled') {
    const shown = { effect: 'once', maxResultChars: 20_000 } as const;
    const why = preparation === 'stopped' ? TOO_LATE : preparation.outcome.message;
    const settlement = unknownOutcome(why);
    const output = await settleOutput(environment, context, input, settlement, shown);
    return { status: 'unknown', output };
  }
  const { call } = preparation;
  const settlement = await ask(environment, context, input, call, place);
  if (settlement === 'not_done') return { status: 'not_done' };
  const output = await settleOutput(environment, context, input, settlement, call.tool);
  return { status: settlement.outcome === 'outcome_unknown' ? 'unknown' : 'done', output };
}

async function ask(
  environment: ActivityEnvironment,
  context: Context,
  input: CallInput,
  call: PreparedCall,
  { handle, ledgerEntry }: AttemptPlace,
): Promise<Settlement | 'not_done'> {
  const { reconcile } = call.code;
  if (reconcile === undefined) return unknownOutcome('The tool has no way to find out.');
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
  }
}

type Answer = { readonly status?: unknown; readonly output?: unknown } | null;

const TOO_LATE = 'It could not be found out in time.';

function settleAnswer(
  { ending, interruption }: Ended,
  call: PreparedCall,
): Settlement | 'not_done' {
  const answer = ending.kind === 'returned' ? (ending.value as Answer) : undefined;
  // To be told to stop makes nothing undone; what else it says then may come of the stop.
  if (answer?.status === 'done') return settleReturn(answer.output, call.tool);
  if (interruption === 'shutdown') {
    throw endedByShutdown(call.tool.name, ending.kind !== 'abandoned');
  }
  if (interruption !== undefined || ending.kind === 'abandoned') return unknownOutcome(TOO_LATE);
  if (ending.kind === 'threw') {
    return unknownOutcome(`It could not be found out: ${describeError(ending.error)}`);
  }
  switch (answer?.status) {
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
