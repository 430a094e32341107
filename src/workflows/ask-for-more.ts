import { workflowInfo } from '@temporalio/workflow';
import { decisionOf, pendingOf, publish } from '../core/approval.ts';
import { extendLimit, limitValue } from '../core/extend-limit.ts';
import { type LimitReached, lowerLimits } from '../core/limits.ts';
import { newRequest, withTimeout } from '../core/new-request.ts';
import { gate } from './gate.ts';
import type { Memory } from './memory.ts';

/**
 * Asks a person whether the conversation may go on beyond a limit: a request of kind `budget`,
 * without a call. An approval extends the limit by its first size.
 * @returns `expired` when nobody decided in time and that is to end the turn as such
 */
export async function askForMore(
  memory: Memory,
  reached: LimitReached,
  handOverDue: () => boolean,
): Promise<'extended' | 'refused' | 'expired' | 'hand_over'> {
  const { settings } = memory.state.spec;
  const key = ask(memory, reached);
  let decided = 'cancel';
  const waited = await gate(memory, {
    keys: [key],
    handOverDue,
    onDecision: ({ decision, by, at }) => {
      decided = decision;
      if (by === undefined) return;
      const words = decision === 'approve' ? 'let it go on beyond' : 'did not let it go on beyond';
      memory.note('budget_decided', `${by.id} ${words} ${inWords(reached)}`, at, {
        details: { key, decision, by: by.id },
      });
    },
  });
  if (waited === 'hand_over') return 'hand_over';
  if (decided === 'expire' && settings.approval.expire === 'fail') return 'expired';
  if (decided !== 'approve') return 'refused';
  const { running, limits, askedLimits } = memory.state;
  memory.update({
    limits: extendLimit(limits, lowerLimits(settings.limits, askedLimits), reached),
    ...(running === undefined
      ? {}
      : { running: { ...running, extensions: running.extensions + 1 } }),
  });
  return 'extended';
}

/** Publishes the request, unless a run before did; returns its key. */
function ask(memory: Memory, reached: LimitReached): string {
  const { approvals, approvalTimeoutMs, limits, running, spec, step, turn } = memory.state;
  const { workflowId } = workflowInfo();
  const key = `${workflowId}/${turn}.${step}.budget.${running?.extensions ?? 0}`;
  if (pendingOf(approvals, key) ?? decisionOf(approvals, key)) return key;
  const size = limitValue(limits, reached) ?? null;
  const request = newRequest(
    {
      kind: 'budget',
      key,
      input: { limit: reached, size },
      // Opaque to callers: it stands for the limit and the size at which the question was asked.
      digest: `budget:${reached}:${size}`,
      summary: `go on beyond ${inWords(reached)}?`,
      danger: false,
      reason: `${inWords(reached)} is reached (${size})`,
    },
    withTimeout(spec.settings.approval, approvalTimeoutMs),
    Date.now(),
  );
  memory.update({ approvals: publish(approvals, [request]) });
  return key;
}

function inWords(limit: LimitReached): string {
  return limit.replace('_', ' ');
}
