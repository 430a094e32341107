import {
  type Decision,
  decisionOf,
  type EditedInput,
  pendingOf,
  publish,
} from '../core/approval.ts';
import { createLanes, lanesOf, type Task } from '../core/batch.ts';
import { positionOfKey, type PlannedCall } from '../core/call.ts';
import type { OpenBatch, SettledCall } from '../core/conversation-state.ts';
import { addCall, mayHaveHappened } from '../core/conversation-summary.ts';
import { newRequest, withTimeout } from '../core/new-request.ts';
import { outcomeOfDecision } from '../core/outcome-of-decision.ts';
import { settleWithout } from '../core/settle-call.ts';
import { applyStatePatch } from '../core/state-patch.ts';
import type { Memory } from './memory.ts';

/** What a batch needs of the world; plain functions in tests. */
export interface BatchEffects {
  readonly runCall: (call: PlannedCall, edited: EditedInput | undefined) => Promise<SettledCall>;
  readonly waitForDecisions: (
    keys: readonly string[],
    onDecision: (decision: Decision) => void,
  ) => Promise<'decided' | 'hand_over'>;
  readonly nowMs: () => number;
}

/** `expired`: an approval ran out that ends the turn. */
export type BatchEnd = 'done' | 'expired' | 'hand_over';

/** Of people's reasons in the results of one batch. */
const REASONS_CHARACTERS = 256 * 1024;

/**
 * Settles every call of a batch: asks, waits, runs, and adds exactly one result per call to the
 * transcript, in call order (design §3). A hand-over while people are waited for leaves the batch
 * open in the state.
 */
export async function runBatch(
  memory: Memory,
  batch: OpenBatch,
  effects: BatchEffects,
): Promise<BatchEnd> {
  const settled = batch.plan.map(({ index }) => batch.settled[index] ?? null);
  const keep = (call: PlannedCall, result: SettledCall) => {
    settled[call.index] = result;
    memory.update({ batch: { ...batch, settled: [...settled] } });
  };
  let failed = false;
  const { maxParallel, runAsDecided } = memory.state.spec.settings;
  const early: Promise<void>[] = [];
  const earlyLanes = createLanes(maxParallel);
  const mayBegin = () => memory.stop === undefined && !failed;
  const run = (call: PlannedCall, edited?: EditedInput): Task => {
    return async () => {
      keep(call, mayBegin() ? await effects.runCall(call, edited) : notBegun(call));
    };
  };
  const startEarly = (call: PlannedCall, edited?: EditedInput) => {
    if (!runAsDecided || !call.parallelSafe) return;
    // Also while it waits for its lane, and between two attempts: a run that ended then would leave it.
    memory.earlyCalls += 1;
    const ended = earlyLanes(run(call, edited)).finally(() => {
      memory.earlyCalls -= 1;
    });
    early.push(ended);
  };

  // All results are inputs of one completion: many denials leave each reason fewer words.
  const reasonCharacters = Math.max(200, Math.floor(REASONS_CHARACTERS / batch.plan.length));
  memory.update({ batch: { ...batch, settled: [...settled] } });
  const ready: { readonly call: PlannedCall; edited?: EditedInput }[] = [];
  const asked: PlannedCall[] = [];
  for (const call of batch.plan) {
    if (settled[call.index] != null) continue;
    if (typeof call.verdict === 'object') {
      keep(call, settleWithout(call, positionOfKey(call.key), call.verdict.settled));
    } else if (call.verdict === 'run' || hasRule(memory, call)) {
      ready.push({ call });
      startEarly(call);
    } else {
      asked.push(call);
    }
  }
  if (asked.length > 0) {
    ask(memory, asked, effects.nowMs());
    const byKey = new Map(asked.map((call) => [call.key, call]));
    const waited = await effects.waitForDecisions([...byKey.keys()], (decision) => {
      const call = byKey.get(decision.key);
      if (call === undefined) return;
      const outcome = outcomeOfDecision(decision, reasonCharacters);
      if (outcome !== undefined) {
        keep(call, settleWithout(call, positionOfKey(call.key), outcome));
        if (decision.decision === 'expire' && expires(memory, call) === 'fail') failed = true;
        return;
      }
      ready.push({ call, ...(decision.edited === undefined ? {} : { edited: decision.edited }) });
      startEarly(call, decision.edited);
    });
    if (waited === 'hand_over') return 'hand_over';
  }
  if (early.length > 0) await Promise.all(early);
  const left = ready
    .filter(({ call }) => settled[call.index] == null)
    .sort((a, b) => a.call.index - b.call.index);
  const [only] = left;
  if (left.length === 1 && only !== undefined && mayBegin()) {
    // Most steps have one call: without lanes and a task it makes six promises less.
    keep(only.call, await effects.runCall(only.call, only.edited));
  } else {
    const calls = left.map(({ call }) => call);
    const lanes = createLanes(lanesOf(calls, maxParallel));
    await Promise.all(left.map(({ call, edited }) => lanes(run(call, edited))));
  }
  record(memory, batch.plan, settled);
  return failed ? 'expired' : 'done';
}

function expires(memory: Memory, call: PlannedCall): 'deny' | 'fail' {
  return (call.approval ?? memory.state.spec.settings.approval).expire;
}

function hasRule(memory: Memory, call: PlannedCall): boolean {
  return call.rule !== undefined && memory.state.rules.some(({ id }) => id === call.rule);
}

function notBegun(call: PlannedCall): SettledCall {
  return settleWithout(call, positionOfKey(call.key), {
    outcome: 'cancelled',
    effect: 'none',
    message: 'It had not begun.',
  });
}

/** All requests of a batch are published at once; those that a run before has published wait on. */
function ask(memory: Memory, calls: readonly PlannedCall[], nowMs: number): void {
  const { approvals, approvalTimeoutMs, spec } = memory.state;
  const fresh = calls.filter(
    ({ key }) =>
      decisionOf(approvals, key) === undefined && pendingOf(approvals, key) === undefined,
  );
  const requests = fresh.map((call) =>
    newRequest(
      {
        kind: 'call',
        key: call.key,
        callId: call.callId,
        tool: call.tool,
        input: call.input,
        digest: call.inputDigest,
        summary: call.summary,
        danger: call.danger,
        reason: reasonOf(memory, call),
      },
      withTimeout(call.approval ?? spec.settings.approval, approvalTimeoutMs),
      nowMs,
    ),
  );
  memory.update({ approvals: publish(approvals, requests) });
}

/** Who is asked about a repetition must know that the first may have happened. */
function reasonOf(memory: Memory, call: PlannedCall): string {
  const reasons = call.reason === undefined ? [] : [call.reason];
  if (mayHaveHappened(memory.state.summary, call)) {
    reasons.push('the same call was made before, and it is not known whether that happened');
  }
  return reasons.join('; ');
}

/** Results enter the transcript in call order, however they finished; so do their state patches. */
function record(
  memory: Memory,
  plan: readonly PlannedCall[],
  settled: readonly (SettledCall | null)[],
): void {
  for (const call of plan) {
    const result = settled[call.index];
    if (result == null) throw new Error(`call ${call.key} has no result`);
    const final = patched(memory, call, result);
    memory.add(final.item, {
      kind: 'result',
      ...place(call),
      size: final.size,
      tokens: final.tokens,
      preview: final.preview,
      outcome: final.outcome,
      key: call.key,
      tool: call.tool,
    });
    memory.update({
      calls: memory.state.calls + 1,
      summary: addCall(memory.state.summary, {
        ...call,
        outcome: final.outcome,
        effectState: final.effect,
      }),
    });
  }
  const { batch: _, ...rest } = memory.state;
  memory.state = rest;
}

function place(call: PlannedCall): { readonly turn: number; readonly step: number } {
  const { turn, step } = positionOfKey(call.key);
  return { turn, step };
}

function patched(memory: Memory, call: PlannedCall, result: SettledCall): SettledCall {
  if (result.patch === undefined || result.patch.length === 0) return result;
  const { state, version } = memory.state.shared;
  const applied = applyStatePatch(state, result.patch);
  if ('state' in applied) {
    memory.update({ shared: { state: applied.state, version: version + 1 } });
    return result;
  }
  return settleWithout(call, positionOfKey(call.key), {
    outcome: 'state_conflict',
    effect: call.effect === 'read' ? 'none' : 'happened',
    message: applied.problem,
  });
}
