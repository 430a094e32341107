import type { PendingApproval } from './approval.ts';
import type { ApprovalRequest } from './approval-request.ts';
import type { ApprovalSettings } from './approval-settings.ts';

/** What is asked, without when and of whom. */
export type Question = Pick<
  ApprovalRequest,
  'kind' | 'key' | 'callId' | 'tool' | 'input' | 'digest' | 'summary' | 'danger' | 'reason'
>;

/** Later times are "never" all the same, and a date has an end. */
const LONGEST_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/** A question as it is published: with its deadlines, and the rules that it keeps while it waits. */
export function newRequest(
  question: Question,
  settings: ApprovalSettings,
  nowMs: number,
): PendingApproval {
  const { askedOf, quorum, remindAfterMs, timeoutMs } = settings;
  return {
    request: {
      ...question,
      requestedAt: isoAt(nowMs),
      ...(timeoutMs === undefined ? {} : { expiresAt: isoAt(nowMs + bounded(timeoutMs)) }),
      ...(remindAfterMs === undefined ? {} : { remindAt: isoAt(nowMs + bounded(remindAfterMs)) }),
      ...(askedOf === undefined ? {} : { askedOf }),
      ...(quorum > 1 ? { quorum } : {}),
      verdicts: [],
    },
    settings,
    requestedAtMs: nowMs,
  };
}

/** A conversation's own timeout: a starter may shorten what tool and agent say, never lengthen it. */
export function withTimeout(
  settings: ApprovalSettings,
  timeoutMs: number | undefined,
): ApprovalSettings {
  if (timeoutMs === undefined) return settings;
  return { ...settings, timeoutMs: Math.min(settings.timeoutMs ?? timeoutMs, timeoutMs) };
}

function bounded(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}

function isoAt(ms: number): string {
  return new Date(ms).toISOString();
}
