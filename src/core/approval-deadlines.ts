import {
  type ApprovalBook,
  changePending,
  type PendingApproval,
  pendingOf,
  settleWithoutPerson,
} from './approval.ts';

/** What a passed deadline writes into the audit. */
export interface DeadlineNote {
  readonly code: 'approval_expired' | 'approval_reminder' | 'approval_escalated';
  readonly key: string;
  readonly text: string;
}

export interface PassedDeadlines {
  readonly book: ApprovalBook;
  readonly notes: readonly DeadlineNote[];
  /** A request that expired and ends its turn (`expire: 'fail'`). */
  readonly failed?: string;
}

/** Which requests are looked at, and which of them have a verdict that is still being checked. */
export interface OpenRequests {
  readonly keys: ReadonlySet<string>;
  /** Arrived in time: it goes before the deadline, and only if it is refused does the request expire. */
  readonly hasVerdict: (key: string) => boolean;
}

/**
 * What the time does to open requests: they expire, or are asked of the next, or somebody is to be
 * reminded. Who is told, and how, is the integrator's: reminders and escalations are data.
 */
export function passDeadlines(
  book: ApprovalBook,
  { keys, hasVerdict }: OpenRequests,
  nowMs: number,
): PassedDeadlines {
  const at = new Date(nowMs).toISOString();
  const notes: DeadlineNote[] = [];
  let passed = book;
  for (const key of keys) {
    const pending = pendingOf(passed, key);
    if (pending === undefined) continue;
    const { expiresAt } = pending.request;
    if (expiresAt === undefined || Date.parse(expiresAt) > nowMs) {
      const reminded = remindAndEscalate(pending, nowMs, at);
      notes.push(...reminded.notes);
      if (reminded.notes.length > 0) passed = changePending(passed, key, () => reminded.pending);
      continue;
    }
    if (hasVerdict(key)) continue;
    passed = settleWithoutPerson(passed, [key], { decision: 'expire', at });
    notes.push({ code: 'approval_expired', key, text: `nobody decided about ${key} in time` });
    if (pending.settings.expire !== 'fail') continue;
    // The turn ends with it: nobody needs to decide about the others any more.
    const reason = `the turn ended, for ${key} expired`;
    passed = settleWithoutPerson(passed, keys, { decision: 'cancel', at, reason });
    return { book: passed, notes, failed: key };
  }
  return { book: passed, notes };
}

/** When the time next does something to an open request; milliseconds since 1970. */
export function nextDeadline(
  book: ApprovalBook,
  keys: ReadonlySet<string>,
  nowMs: number,
): number | undefined {
  const times = book.pending.flatMap(({ request, settings, requestedAtMs }) =>
    keys.has(request.key)
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

function remindAndEscalate(
  pending: PendingApproval,
  nowMs: number,
  at: string,
): { readonly pending: PendingApproval; readonly notes: readonly DeadlineNote[] } {
  const { settings, requestedAtMs } = pending;
  const { key, remindAt, remindedAt, askedOf } = pending.request;
  const notes: DeadlineNote[] = [];
  let { request } = pending;
  if (remindAt !== undefined && remindedAt === undefined && Date.parse(remindAt) <= nowMs) {
    request = { ...request, remindedAt: at };
    notes.push({ code: 'approval_reminder', key, text: `${key} still waits` });
  }
  const passed = settings.escalate?.filter(({ afterMs }) => requestedAtMs + afterMs <= nowMs) ?? [];
  // The latest that has passed, in whatever order they were written.
  const [latest] = passed.toSorted((a, b) => b.afterMs - a.afterMs);
  if (latest !== undefined && latest.askedOf !== askedOf) {
    request = { ...request, askedOf: latest.askedOf };
    const text = `${key} is asked of ${latest.askedOf} now`;
    notes.push({ code: 'approval_escalated', key, text });
  }
  return { pending: { ...pending, request }, notes };
}
