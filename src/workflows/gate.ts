import { condition, isCancellation } from '@temporalio/workflow';
import {
  type Decision,
  decisionOf,
  type PendingApproval,
  settleWithoutPerson,
} from '../core/approval.ts';
import type { Memory } from './memory.ts';
import { refuseEdits, validateEdits } from './validate-edits.ts';

export interface GateOptions {
  /** Keys of the requests that are waited for. */
  readonly keys: readonly string[];
  /** Called once for each, as it is decided. */
  readonly onDecision: (decision: Decision) => void;
  readonly handOverDue: () => boolean;
}

/**
 * Waits until every request has a verdict, expired, or was settled by a stop. Returns `hand_over`
 * when the run should continue as new first: what waits is carried over.
 */
export async function gate(memory: Memory, options: GateOptions): Promise<'decided' | 'hand_over'> {
  const { handOverDue, onDecision } = options;
  const open = new Set(options.keys);
  const startedMs = Date.now();
  try {
    for (;;) {
      expire(memory, open);
      for (const key of open) {
        const decision = decisionOf(memory.state.approvals, key);
        if (decision === undefined || isPending(memory, key)) continue;
        open.delete(key);
        onDecision(decision);
      }
      if (open.size === 0) return 'decided';
      if (memory.stop !== undefined) {
        cancelAll(memory, open);
        continue;
      }
      if (handOverDue() && memory.inFlight === 0 && memory.edits.length === 0) return 'hand_over';
      const nextMs = nextDeadline(memory, open);
      memory.show('waiting_approval', nextMs === undefined ? {} : { untilMs: nextMs });
      const changed = () =>
        memory.edits.length > 0 ||
        memory.stop !== undefined ||
        [...open].some((key) => !isPending(memory, key)) ||
        (handOverDue() && memory.inFlight === 0);
      try {
        if (nextMs === undefined) await condition(changed);
        else
          await condition(changed, Math.max(nextMs - Date.now(), 1), {
            summary: 'approval deadline',
          });
        await validateEdits(memory);
      } catch (error) {
        if (!isCancellation(error)) throw error;
        memory.stop ??= {};
      }
    }
  } finally {
    addWaited(memory, Date.now() - startedMs);
  }
}

function isPending(memory: Memory, key: string): boolean {
  return memory.state.approvals.pending.some(({ request }) => request.key === key);
}

/** Reminders and escalations are data of the request: who is told, and how, is the integrator's. */
function expire(memory: Memory, open: ReadonlySet<string>): void {
  const nowMs = Date.now();
  const at = new Date(nowMs).toISOString();
  for (const pending of memory.state.approvals.pending) {
    const { request } = pending;
    if (!open.has(request.key)) continue;
    if (request.expiresAt !== undefined && Date.parse(request.expiresAt) <= nowMs) {
      const book = settleWithoutPerson(memory.state.approvals, request.key, 'expire', at);
      memory.update({ approvals: book });
      memory.note('approval_expired', `nobody decided about ${request.key} in time`, at);
      continue;
    }
    remindAndEscalate(memory, pending, nowMs);
  }
}

function remindAndEscalate(memory: Memory, pending: PendingApproval, nowMs: number): void {
  const { request, settings, requestedAtMs } = pending;
  const at = new Date(nowMs).toISOString();
  let next = request;
  if (request.remindAt !== undefined && Date.parse(request.remindAt) <= nowMs) {
    const { remindAt: _, ...rest } = next;
    next = rest;
    memory.note('approval_reminder', `${request.key} still waits`, at);
  }
  const passed = settings.escalate?.findLast(({ afterMs }) => requestedAtMs + afterMs <= nowMs);
  if (passed !== undefined && passed.askedOf !== request.askedOf) {
    next = { ...next, askedOf: passed.askedOf };
    memory.note('approval_escalated', `${request.key} is asked of ${passed.askedOf} now`, at);
  }
  if (next === request) return;
  const { approvals } = memory.state;
  memory.update({
    approvals: {
      ...approvals,
      pending: approvals.pending.map((other) =>
        other === pending ? { ...pending, request: next } : other,
      ),
    },
  });
}

function nextDeadline(memory: Memory, open: ReadonlySet<string>): number | undefined {
  const nowMs = Date.now();
  const times = memory.state.approvals.pending.flatMap(({ request, settings, requestedAtMs }) =>
    open.has(request.key)
      ? [
          ...[request.expiresAt, request.remindAt].flatMap((time) =>
            time === undefined ? [] : [Date.parse(time)],
          ),
          ...(settings.escalate ?? []).map(({ afterMs }) => requestedAtMs + afterMs),
        ]
      : [],
  );
  const future = times.filter((time) => time > nowMs);
  return future.length === 0 ? undefined : Math.min(...future);
}

function cancelAll(memory: Memory, open: ReadonlySet<string>): void {
  const at = new Date().toISOString();
  refuseEdits(memory, { code: 'not_pending', message: 'the turn was stopped' });
  let book = memory.state.approvals;
  for (const key of open) book = settleWithoutPerson(book, key, 'cancel', at, memory.stop?.reason);
  memory.update({ approvals: book });
}

function addWaited(memory: Memory, ms: number): void {
  const { running } = memory.state;
  if (running !== undefined) {
    memory.update({ running: { ...running, waitedMs: running.waitedMs + ms } });
  }
}
