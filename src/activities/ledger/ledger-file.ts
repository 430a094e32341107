import * as z from 'zod/mini';
import type { AttemptRecord } from './attempt-ledger.ts';

/*
 * A ledger is a file of JSON lines: a header, then what began and what ended. A line that cannot be
 * read (torn by a kill or a full disk) is as if it had not been written.
 */

const headerSchema = z.object({
  version: z.literal(1),
  id: z.string(),
  identity: z.string(),
  /** The boot and the process-id namespace in which the ids of this ledger mean something. */
  bootId: z.string(),
  pidNamespace: z.string(),
  /** A file name beside the ledger, or an absolute path. */
  socket: z.string(),
});
export type LedgerHeader = z.infer<typeof headerSchema>;

const recordSchema = z.object({
  taskToken: z.string(),
  namespace: z.string(),
  workflowId: z.string(),
  runId: z.string(),
  activityId: z.string(),
  activityType: z.string(),
});

/** Never 0 or 1: a signal to the group of such a leader would reach everyone. */
const leaderSchema = z.number().check(z.int(), z.gt(1));

const changeSchema = z.discriminatedUnion('change', [
  z.object({ change: z.literal('begin'), attempt: z.number(), record: recordSchema }),
  z.object({ change: z.literal('returned'), attempt: z.number() }),
  z.object({ change: z.literal('end'), attempt: z.number() }),
  z.object({
    change: z.literal('group'),
    attempt: z.number(),
    leader: leaderSchema,
    startedAt: z.nullable(z.string()),
  }),
  z.object({ change: z.literal('groupEnded'), attempt: z.number(), leader: leaderSchema }),
]);
export type LedgerChange = z.infer<typeof changeSchema>;

/** A process group by its leader; `startedAt` tells the leader from a later process of the same id. */
export interface ProcessGroup {
  readonly leader: number;
  readonly startedAt: string | null;
}

export interface LedgerAttempt {
  readonly record: AttemptRecord;
  /** The handler returned; whether the server has its result is not known. */
  readonly returned: boolean;
  readonly groups: readonly ProcessGroup[];
}

export interface Ledger {
  readonly header: LedgerHeader;
  readonly attempts: readonly LedgerAttempt[];
}

/** The attempts that a ledger says are running; `undefined` when its header cannot be read. */
export function parseLedger(text: string): Ledger | undefined {
  const [first = '', ...rest] = text.split('\n');
  const header = headerSchema.safeParse(jsonOf(first));
  if (!header.success) return undefined;
  const attempts = new Map<number, LedgerAttempt>();
  for (const line of rest) {
    const change = changeSchema.safeParse(jsonOf(line));
    if (change.success) applyChange(attempts, change.data);
  }
  return { header: header.data, attempts: [...attempts.values()] };
}

/** One change of the running attempts; the writer and the reader of a ledger share it. */
export function applyChange(attempts: Map<number, LedgerAttempt>, change: LedgerChange): void {
  if (change.change === 'begin') {
    attempts.set(change.attempt, { record: change.record, returned: false, groups: [] });
    return;
  }
  const attempt = attempts.get(change.attempt);
  if (attempt === undefined) return;
  switch (change.change) {
    case 'end':
      attempts.delete(change.attempt);
      return;
    case 'returned':
      attempts.set(change.attempt, { ...attempt, returned: true });
      return;
    case 'group': {
      const { leader, startedAt } = change;
      const others = attempt.groups.filter((group) => group.leader !== leader);
      attempts.set(change.attempt, { ...attempt, groups: [...others, { leader, startedAt }] });
      return;
    }
    case 'groupEnded': {
      const groups = attempt.groups.filter((group) => group.leader !== change.leader);
      attempts.set(change.attempt, { ...attempt, groups });
      return;
    }
  }
}

/** The changes that lead to these attempts and no more. */
export function changesOf(attempts: ReadonlyMap<number, LedgerAttempt>): readonly LedgerChange[] {
  const changes: LedgerChange[] = [];
  for (const [attempt, { record, returned, groups }] of attempts) {
    changes.push({ change: 'begin', attempt, record });
    for (const group of groups) changes.push({ change: 'group', attempt, ...group });
    if (returned) changes.push({ change: 'returned', attempt });
  }
  return changes;
}

export function lineOf(value: LedgerHeader | LedgerChange): string {
  return `${JSON.stringify(value)}\n`;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
