import { condition, isCancellation } from '@temporalio/workflow';
import { type Decision, decisionOf, pendingOf, settleWithoutPerson } from '../core/approval.ts';
import { nextDeadline, passDeadlines } from '../core/approval-deadlines.ts';
import type { Memory } from './memory.ts';
import { type EditEffects, refuseEdits, validateNextEdit } from './validate-edits.ts';
import { editEffects } from './validate-edit.ts';

export interface GateOptions {
  /** Keys of the requests that are waited for. */
  readonly keys: readonly string[];
  /** Called once for each, as it is decided. */
  readonly onDecision: (decision: Decision) => void;
  readonly handOverDue: () => boolean;
}

/** What waiting needs of the world; plain functions in tests. */
export interface GateEffects extends EditEffects {
  readonly nowMs: () => number;
  /** Until the condition holds or the time has come. @throws CancelledFailure when the turn is cancelled */
  readonly waitUntil: (condition: () => boolean, untilMs: number | undefined) => Promise<void>;
}

/** A wait that is longer is begun anew: servers bound their timers. */
const LONGEST_TIMER_MS = 365 * 24 * 60 * 60 * 1000;

const inWorkflow: GateEffects = {
  ...editEffects,
  nowMs: () => Date.now(),
  async waitUntil(holds, untilMs) {
    if (untilMs === undefined) return condition(holds);
    const ms = Math.min(Math.max(untilMs - Date.now(), 1), LONGEST_TIMER_MS);
    await condition(holds, ms, { summary: 'approval deadline' });
  },
};

/**
 * Waits until every request has a verdict, expired, or was settled by a stop. Returns `hand_over`
 * when the run should continue as new first: what waits is carried over.
 */
export async function gate(
  memory: Memory,
  { keys, onDecision, handOverDue }: GateOptions,
  effects: GateEffects = inWorkflow,
): Promise<'decided' | 'hand_over'> {
  const open = new Set(keys);
  const startedMs = effects.nowMs();
  const due = () => handOverDue() && memory.earlyCalls === 0;
  try {
    for (;;) {
      expire(memory, open, effects.nowMs());
      for (const key of open) {
        const decision = decisionOf(memory.state.approvals, key);
        if (decision === undefined || isPending(memory, key)) continue;
        open.delete(key);
        onDecision(decision);
      }
      if (open.size === 0) {
        // Nothing is left to validate: they are told who was first.
        while (memory.edits.length > 0) await validateNextEdit(memory, effects);
        if (memory.status === 'waiting_approval') {
          memory.show(memory.state.closing ? 'closing' : 'running');
        }
        return 'decided';
      }
      if (memory.stop !== undefined) {
        cancelAll(memory, open, effects.nowMs());
        continue;
      }
      // Edits that wait are validated there, as many as are bearable.
      if (due()) return 'hand_over';
      const untilMs = nextDeadline(memory.state.approvals, open, effects.nowMs());
      memory.show('waiting_approval', untilMs === undefined ? {} : { untilMs });
      try {
        await effects.waitUntil(
          () =>
            memory.edits.length > 0 ||
            memory.stop !== undefined ||
            [...open].some((key) => !isPending(memory, key)) ||
            due(),
          untilMs,
        );
        await validateNextEdit(memory, effects);
      } catch (error) {
        if (!isCancellation(error)) throw error;
        // A stop says so before it cancels the turn: this is the conversation's own end.
        memory.stop ??= { reason: CANCELLED };
      }
    }
  } finally {
    addWaited(memory, effects.nowMs() - startedMs);
  }
}

const CANCELLED = 'the conversation was cancelled';

function isPending(memory: Memory, key: string): boolean {
  return pendingOf(memory.state.approvals, key) !== undefined;
}

function expire(memory: Memory, open: ReadonlySet<string>, nowMs: number): void {
  // Asked about requests whose time is over: what came until now may decide, and nothing after it.
  const hasVerdict = (key: string) => {
    const waits = memory.edits.some((edit) => edit.key === key);
    if (waits) memory.overdue.add(key);
    return waits;
  };
  const { book, notes, failed } = passDeadlines(
    memory.state.approvals,
    { keys: open, hasVerdict },
    nowMs,
  );
  if (notes.length === 0) return;
  memory.update({ approvals: book });
  for (const { code, key, text } of notes) {
    memory.note(code, text, new Date(nowMs).toISOString(), { details: { key } });
  }
  if (failed !== undefined) {
    refuseEdits(memory, { code: 'not_pending', message: `the turn ended, for ${failed} expired` });
  }
}

function cancelAll(memory: Memory, open: ReadonlySet<string>, nowMs: number): void {
  const reason = whyCancelled(memory);
  refuseEdits(memory, { code: 'not_pending', message: reason });
  const at = new Date(nowMs).toISOString();
  memory.update({
    approvals: settleWithoutPerson(memory.state.approvals, open, {
      decision: 'cancel',
      at,
      reason,
    }),
  });
}

function whyCancelled({ stop }: Memory): string {
  if (stop?.reason === CANCELLED) return CANCELLED;
  const by = stop?.by === undefined ? '' : ` by "${stop.by.id}"`;
  const why = stop?.reason === undefined ? '' : `: ${stop.reason}`;
  return `the turn was stopped${by}${why}`;
}

function addWaited(memory: Memory, ms: number): void {
  const { running } = memory.state;
  if (running !== undefined) {
    memory.update({ running: { ...running, waitedMs: running.waitedMs + ms } });
  }
}
