import type { Context } from '@temporalio/activity';
import type { CallInput } from '../core/activity-shapes.ts';
import { describeError } from '../core/describe-error.ts';
import { callScope } from '../tools/call-scope.ts';
import type { ActivityEnvironment } from './environment.ts';
import type { Interruptions } from './interruptions.ts';
import type { LedgerEntry } from './ledger/attempt-ledger.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { RunningCallHandle } from './running-calls.ts';
import { runToEnd, type Ended, type Ending } from './run-to-end.ts';
import { effectOfReturn, settleEnding, type Settlement } from './settle-ending.ts';
import { createToolContext } from './tool-context.ts';

export interface ToolRun {
  readonly environment: ActivityEnvironment;
  readonly context: Context;
  readonly input: CallInput;
  readonly call: PreparedCall;
  readonly handle: Pick<RunningCallHandle, 'heldLoop' | 'blockedLoop'>;
  readonly interruptions: Interruptions;
  readonly ledgerEntry: LedgerEntry;
}

/**
 * Runs a tool's own code: its schema's parse, then `execute`. Every way in which they end is a
 * settlement; `later` when the tool handed its call out.
 * @throws {ApplicationFailure} as `settleEnding` does
 */
export async function runTool(run: ToolRun): Promise<Settlement | 'later'> {
  const { call, input, interruptions } = run;
  interruptions.limit(call.tool.timeoutMs);
  const parsed = await parseInput(run);
  if ('settlement' in parsed) return parsed.settlement;

  const { toolContext, tokenWasTaken, end } = createToolContext({
    temporal: run.context,
    input,
    spec: call.spec,
    tool: call.tool,
    conversationId: call.conversationId,
    deps: run.environment.deps,
    events: run.environment.events,
    signal: interruptions.signal,
  });
  // The tool's own schema made it: only the tool's author knows its type.
  const ended = await inScope(run, () => call.code.execute(parsed.value as never, toolContext));
  end();
  if (call.tool.completion !== 'later' || ended.ending.kind !== 'returned') {
    return settleEnding(ended, endedCall(run));
  }
  // What it returned is nothing: the service that it asked has the result.
  if (ended.interruption !== undefined) {
    return settleEnding({ ...ended, ending: { kind: 'threw', error: ABORTED } }, endedCall(run));
  }
  if (tokenWasTaken()) return 'later';
  return {
    outcome: 'tool_failed',
    effect: effectOfReturn(call.tool.effect),
    message: `It is to be completed later, but it did not take ctx.completionToken: nobody could complete it.`,
  };
}

/** Runs code within the call's scope, and ends what it left behind: child processes, timers of ours. */
export async function inScope(run: ToolRun, code: () => unknown): Promise<Ended> {
  const { environment, context, input, ledgerEntry } = run;
  const atEnd: (() => Promise<void>)[] = [];
  let over = false;
  const scope = {
    tool: input.tool,
    key: input.key,
    log: context.log,
    addProcessGroup: (leader: number) => ledgerEntry.addProcessGroup(leader),
    removeProcessGroup: (leader: number) => ledgerEntry.removeProcessGroup(leader),
    // What the tool's code starts when its call is over is ended at once.
    atEnd: (work: () => Promise<void>) => void (over ? work() : atEnd.push(work)),
  };
  const ended = await runToEnd(() => callScope.run(scope, code), run.interruptions, {
    graceMs: environment.cancelGraceMs,
    onLateEnd: (ending) => {
      context.log.warn(`the abandoned handler of "${input.tool}" ended after all`, {
        key: input.key,
        ...lateEnd(ending),
      });
    },
    onHeldLoop: (ms) => run.handle.heldLoop(ms),
  });
  over = true;
  await Promise.allSettled(atEnd.map((work) => work()));
  return ended;
}

type Parsed = { readonly value: unknown } | { readonly settlement: Settlement };

async function parseInput(run: ToolRun): Promise<Parsed> {
  const { call } = run;
  const ended = await inScope(run, () => call.code.parse(call.input));
  if (ended.interruption !== undefined || ended.ending.kind === 'abandoned') {
    const settlement = settleEnding(
      { ...ended, ending: { kind: 'threw', error: ABORTED } },
      endedCall(run),
    );
    return { settlement: unstarted(settlement) };
  }
  if (ended.ending.kind === 'threw') {
    const message = `Its input schema failed: ${describeError(ended.ending.error)}`;
    return { settlement: { outcome: 'tool_failed', effect: 'none', message } };
  }
  const result = ended.ending.value as Awaited<ReturnType<typeof call.code.parse>>;
  if ('value' in result) return result;
  const message = `The tool has changed since this conversation began:\n${result.problems.join('\n')}`;
  return { settlement: { outcome: 'invalid_input', effect: 'none', message } };
}

/** As code ends that was told to stop and did. */
const ABORTED = Object.assign(new Error('aborted'), { name: 'AbortError' });

function unstarted(settlement: Settlement): Settlement {
  return settlement.outcome === 'ok' ? settlement : { ...settlement, effect: 'none' };
}

function endedCall({ call, environment, handle }: ToolRun): Parameters<typeof settleEnding>[1] {
  return {
    tool: call.tool.name,
    effect: call.tool.effect,
    timeoutMs: call.tool.timeoutMs,
    graceMs: environment.cancelGraceMs,
    blockedLoop: handle.blockedLoop(),
  };
}

function lateEnd(ending: Ending): Record<string, unknown> {
  return ending.kind === 'threw' ? { threw: describeError(ending.error) } : { returned: true };
}
