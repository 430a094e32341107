import type { ModelInput, ModelOutput } from '../core/activity-shapes.ts';
import { compactionDue, floorAfterCompletion } from '../core/compaction-due.ts';
import type { OpenBatch } from '../core/conversation-state.ts';
import { addCompletion, addWarning } from '../core/conversation-summary.ts';
import { stopReasonOfFailure } from '../core/end-of-turn.ts';
import { REPAIR_NOTE } from '../core/entry.ts';
import type { QueuedMessage } from '../core/inbox.ts';
import { limitReached, type LimitReached } from '../core/limits.ts';
import type { ConversationSummary, StopReason } from '../core/status.ts';
import { addCost, addUsage, totalTokens } from '../core/usage.ts';
import type { GivenUp, ModelOutcome } from './complete-model.ts';
import type { Memory } from './memory.ts';
import type { BatchEnd } from './run-batch.ts';

type CompletionRequest = Omit<ModelInput, 'attempt' | 'modelIndex' | 'items' | 'position'>;

/** What a turn needs of the world; plain functions in tests. */
export interface TurnEffects {
  readonly completeModel: (request: CompletionRequest) => Promise<ModelOutcome>;
  /** Whether the transcript is shown shorter now. */
  readonly compact: (reason: 'budget' | 'overflow') => Promise<boolean>;
  readonly runBatch: (batch: OpenBatch) => Promise<BatchEnd>;
  /** Steering messages that enter now. */
  readonly takeSteering: () => Promise<readonly QueuedMessage[]>;
  /** Asks a person whether the conversation may go on beyond a limit. */
  readonly askForMore: (
    limit: LimitReached,
  ) => Promise<'extended' | 'refused' | 'expired' | 'hand_over'>;
  readonly handOverDue: () => boolean;
  readonly nowMs: () => number;
}

export type TurnEnd = { readonly stopReason: StopReason; readonly message?: string } | 'hand_over';

/** Completions in a row that were cut off in the middle of their calls, before the turn gives up. */
const MAX_TRUNCATED_IN_A_ROW = 3;

/** Runs the turn, from wherever it stands, until the agent has nothing more to do. */
export async function runTurn(memory: Memory, effects: TurnEffects): Promise<TurnEnd> {
  const { batch } = memory.state;
  if (batch !== undefined) {
    const ended = afterBatch(memory, await effects.runBatch(batch));
    if (ended !== undefined) return ended;
  }
  for (;;) {
    if (memory.stop !== undefined) return { stopReason: 'stopped' };
    if (memory.state.inbox.queued.length > 0) enter(memory, await effects.takeSteering());
    const limit = limitOf(memory, effects.nowMs());
    const { onLimit, contextBudget } = memory.state.spec.settings;
    if (limit !== undefined && onLimit === 'ask') {
      const answer = await effects.askForMore(limit);
      if (answer === 'hand_over') return 'hand_over';
      if (answer === 'expired') return { stopReason: 'approval_expired' };
      if (answer === 'refused')
        return { stopReason: memory.stop === undefined ? limit : 'stopped' };
    } else if (limit !== undefined && onLimit !== 'wrapUp') {
      return { stopReason: limit };
    }
    if (effects.handOverDue()) return 'hand_over';
    if (compactionDue(memory.state, contextBudget)) await effects.compact('budget');
    const wrapUp = limit !== undefined && onLimit === 'wrapUp';
    // Awaited here: a function for a step would cost each two promises more.
    const next = afterCompletion(memory, await effects.completeModel(beginStep(memory, wrapUp)));
    let ended: TurnEnd | undefined;
    if ('end' in next) ended = next.end;
    else if ('failure' in next) ended = await afterFailure(memory, effects, next.failure);
    else ended = afterBatch(memory, await effects.runBatch(next.batch)) ?? next.endAfterIt;
    const isOver =
      ended === undefined || (ended !== 'hand_over' && ended.stopReason === 'answered');
    if (wrapUp && isOver) return { stopReason: limit };
    if (ended !== undefined) return ended;
  }
}

/** Begins the next step, and says what its completion is made of. */
function beginStep(memory: Memory, wrapUp: boolean): CompletionRequest {
  const { state } = memory;
  memory.update({ step: state.step + 1 });
  memory.show(state.closing ? 'closing' : 'running');
  return {
    spec: state.spec.digest,
    rules: state.rules,
    usage: state.usage,
    ...(state.view === undefined ? {} : { view: state.view }),
    ...(state.shared.version === 0 && state.shared.state === null
      ? {}
      : { state: state.shared.state }),
    ...(wrapUp ? { wrapUp } : {}),
    ...(state.running?.withoutParts === true ? { withoutParts: true } : {}),
    ...(state.segment === null ? {} : { segment: state.segment }),
  };
}

/** What follows a completion: its batch, or a failure, or the end; undefined when the turn goes on. */
type Next =
  | { readonly batch: OpenBatch; readonly endAfterIt: TurnEnd | undefined }
  | { readonly failure: GivenUp }
  | { readonly end: TurnEnd | undefined };

function afterCompletion(memory: Memory, outcome: ModelOutcome): Next {
  if (outcome === 'hand_over') {
    // The next run makes this very step.
    memory.update({ step: memory.state.step - 1 });
    return { end: 'hand_over' };
  }
  if ('failure' in outcome) return outcome;
  const { output } = outcome;
  account(memory, outcome);
  if (output.stopReason === 'context_overflow' && output.plan.length === 0) {
    const message = 'the context window is full';
    return { failure: { type: 'context_overflow', message, hasParts: false } };
  }
  if (output.plan.length === 0) return { end: endOf(memory, output) };
  const cut = output.plan.every(
    ({ verdict }) => typeof verdict === 'object' && verdict.settled.outcome === 'truncated',
  );
  const { running } = memory.state;
  const truncatedInARow = cut ? (running?.truncatedInARow ?? 0) + 1 : 0;
  if (running !== undefined) memory.update({ running: { ...running, truncatedInARow } });
  const isGivenUp = truncatedInARow >= MAX_TRUNCATED_IN_A_ROW;
  return {
    batch: { plan: output.plan, settled: [] },
    endAfterIt: isGivenUp ? { stopReason: 'truncated' } : undefined,
  };
}

function afterBatch(memory: Memory, ended: BatchEnd): TurnEnd | undefined {
  switch (ended) {
    case 'hand_over':
      return 'hand_over';
    case 'expired':
      return { stopReason: 'approval_expired' };
    case 'done':
      if (memory.stop !== undefined) return { stopReason: 'stopped' };
      memory.show(memory.state.closing ? 'closing' : 'running');
      return undefined;
  }
}

function endOf(memory: Memory, output: ModelOutput): TurnEnd | undefined {
  switch (output.stopReason) {
    case 'refused':
      return { stopReason: 'refused' };
    case 'unparseable':
      return { stopReason: 'unparseable' };
    case 'max_tokens':
      return { stopReason: 'truncated' };
    case 'context_overflow':
    case 'end':
    case 'tool_calls':
    case 'other':
      break;
  }
  // What steers arrived while the model answered: it enters at the next step of the same turn.
  const steered = memory.state.inbox.queued.some(({ when }) => when === 'steer');
  return steered && memory.stop === undefined ? undefined : { stopReason: 'answered' };
}

async function afterFailure(
  memory: Memory,
  effects: TurnEffects,
  failure: GivenUp,
): Promise<TurnEnd | undefined> {
  const { running } = memory.state;
  const isTooLarge = failure.type === 'context_overflow' || failure.type === 'too_large';
  if (isTooLarge && running?.overflowCompacted === false) {
    memory.update({ running: { ...running, overflowCompacted: true } });
    if (await effects.compact('overflow')) return undefined;
  }
  const { running: now } = memory.state;
  const mayBeParts = failure.type === 'too_large' || failure.hasParts;
  if (mayBeParts && now !== undefined && now.withoutParts !== true) {
    memory.update({ running: { ...now, withoutParts: true } });
    return undefined;
  }
  return { stopReason: stopReasonOfFailure(failure.type), message: failure.message };
}

function account(memory: Memory, outcome: Extract<ModelOutcome, { output: unknown }>): void {
  const { output, activityId, sent } = outcome;
  const { state } = memory;
  const { contextBudget } = state.spec.settings;
  const contextTokens = output.contextTokens ?? totalTokens(output.usage);
  const { compactionFloor: before, ...rest } = state;
  const compactionFloor = floorAfterCompletion(before, contextTokens, contextBudget);
  memory.state = rest;
  const cost = addCost(state.cost, output.cost);
  // Room was made: when the context is full again, it is made again.
  const fits = output.stopReason === 'context_overflow' ? {} : { overflowCompacted: false };
  memory.advance(sent, { count: output.count, digest: output.transcriptDigest }, activityId, {
    turn: state.turn,
    step: state.step,
    size: 0,
    tokens: output.usage.output,
    preview:
      typeof output.text === 'string' ? output.text.slice(0, 200) : (output.text?.preview ?? ''),
  });
  memory.update({
    usage: addUsage(state.usage, output.usage),
    summary: summaryWith(memory, output),
    contextTokens,
    ...(compactionFloor === undefined ? {} : { compactionFloor }),
    ...(cost === undefined ? {} : { cost }),
    ...(state.running === undefined
      ? {}
      : { running: { ...state.running, text: output.text ?? '', ...fits } }),
    ...(output.output === undefined ? {} : { output: output.output }),
  });
  for (const repair of output.repairs ?? []) {
    memory.note(REPAIR_NOTE, repair, new Date().toISOString());
  }
}

function summaryWith({ state }: Memory, { model, usage, cost }: ModelOutput): ConversationSummary {
  const summary = addCompletion(state.summary, model, usage);
  if (state.limits.maxCost === undefined || cost !== undefined) return summary;
  const warning = `maxCost does not count ${model}: there is no price for it`;
  return { ...summary, warnings: addWarning(summary.warnings, warning) };
}

function limitOf(memory: Memory, nowMs: number): LimitReached | undefined {
  const { state } = memory;
  return limitReached(state.limits, {
    steps: state.step,
    turnMs:
      state.running === undefined ? 0 : nowMs - state.running.startedAtMs - state.running.waitedMs,
    tokens: totalTokens(state.usage),
    cost: state.cost ?? 0,
    calls: state.calls,
  });
}

/** Messages become entries of the transcript, in order. */
export function enter(memory: Memory, messages: readonly QueuedMessage[]): void {
  for (const message of messages) {
    memory.addEntry({
      kind: 'user',
      turn: memory.state.turn,
      step: memory.state.step,
      id: message.id,
      content: message.content,
      ...(message.by === undefined ? {} : { by: message.by }),
      at: message.at,
    });
  }
}
