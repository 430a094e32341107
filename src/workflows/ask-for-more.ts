import { workflowInfo } from '@temporalio/workflow';
import { decisionOf, publish } from '../core/approval.ts';
import { extendLimit, limitValue } from '../core/extend-limit.ts';
import { type LimitReached, lowerLimits } from '../core/limits.ts';
import { gate } from './gate.ts';
import type { Memory } from './memory.ts';

/**
 * Asks a person whether the conversation may go on beyond a limit: a request of kind `budget`,
 * without a call. An approval extends the limit by its first size.
 */
export async function askForMore(
  memory: Memory,
  reached: LimitReached,
  handOverDue: () => boolean,
): Promise<'extended' | 'refused' | 'hand_over'> {
  const { state } = memory;
  const { settings } = state.spec;
  const extensions = state.running?.extensions ?? 0;
  const key = `${workflowInfo().workflowId}/${state.turn}.${state.step}.budget.${extensions}`;
  const isPublished = state.approvals.pending.some(({ request }) => request.key === key);
  if (!isPublished && decisionOf(state.approvals, key) === undefined) {
    const nowMs = Date.now();
    const { timeoutMs, askedOf } = settings.approval;
    const reason = `${reached.replace('_', ' ')} is reached (${limitValue(state.limits, reached)})`;
    memory.update({
      approvals: publish(state.approvals, {
        request: {
          kind: 'budget',
          key,
          input: { limit: reached },
          digest: '',
          summary: `go on beyond ${reached.replace('_', ' ')}?`,
          danger: false,
          reason,
          requestedAt: new Date(nowMs).toISOString(),
          ...(timeoutMs === undefined
            ? {}
            : { expiresAt: new Date(nowMs + timeoutMs).toISOString() }),
          ...(askedOf === undefined ? {} : { askedOf }),
          verdicts: [],
        },
        settings: settings.approval,
        requestedAtMs: nowMs,
      }),
    });
  }
  let approved = false;
  const waited = await gate(memory, {
    keys: [key],
    handOverDue,
    onDecision: ({ decision }) => {
      approved = decision === 'approve';
    },
  });
  if (waited === 'hand_over') return 'hand_over';
  if (!approved) return 'refused';
  const { running, limits, askedLimits } = memory.state;
  memory.update({
    limits: extendLimit(limits, lowerLimits(settings.limits, askedLimits), reached),
    ...(running === undefined ? {} : { running: { ...running, extensions: extensions + 1 } }),
  });
  memory.show('running');
  return 'extended';
}
