import type { ConversationRecord, RecordedCall } from '../../client/index.ts';
import type { Entry } from '../../core/entry.ts';
import type { Category } from '../../core/outcome.ts';
import type { Seen } from './trace.ts';

/** A kill in milliseconds since 1970: asked for, and the process gone. */
export interface KillTime {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Evidence {
  readonly record: ConversationRecord;
  /** Whether the conversation has ended; one that is stuck owes results. */
  readonly hasEnded: boolean;
  readonly seen: readonly Seen[];
  readonly kills: readonly KillTime[];
  readonly said: readonly { readonly id: string; readonly taken: boolean }[];
  /** How often each call had its effect, by key; absent: only executions are known. */
  readonly effects?: ReadonlyMap<string, number>;
}

export interface Verdict {
  readonly problems: readonly string[];
  readonly repeatedSteps: number;
  readonly repeatedOnce: number;
  readonly falseOk: number;
  readonly unknown: number;
  readonly unexplained: number;
  readonly outcomes: readonly { readonly call: RecordedCall; readonly outcome: Category }[];
}

/** Everything that must hold of a conversation, however often its workers died (design §13). */
export function judge(evidence: Evidence): Verdict {
  const { record } = evidence;
  const calls = record.calls;
  const repeatedSteps = repeatedStepsOf(evidence);
  const repeatedOnce = calls.flatMap((call) => repeatedOnceOf(call, evidence));
  const falseOk = calls.flatMap((call) => falseOkOf(call, evidence));
  const unknown = calls.filter(isUnknown);
  const unexplained = unknown.filter((call) => !isExplained(call, evidence.kills));
  return {
    problems: [
      ...(evidence.hasEnded ? transcriptProblems(evidence) : []),
      ...repeatedSteps,
      ...repeatedOnce,
      ...falseOk,
      ...calls.flatMap((call) => hiddenEffectOf(call, evidence)),
      ...strangeEffects(evidence),
      ...unexplained.map(
        ({ planned, result }) =>
          `${planned.key} ended as ${result?.outcome}, and no worker was killed while it ran`,
      ),
    ].map((problem) => `${record.workflowId}: ${problem}`),
    repeatedSteps: repeatedSteps.length,
    repeatedOnce: repeatedOnce.length,
    falseOk: falseOk.length,
    unknown: unknown.length,
    unexplained: unexplained.length,
    outcomes: calls.flatMap((call) =>
      call.result === undefined ? [] : [{ call, outcome: call.result.outcome }],
    ),
  };
}

/** Every call has one result, after its completion and in call order; what was said is there once. */
function transcriptProblems({ record, said }: Evidence): string[] {
  const problems: string[] = [];
  const entries = record.entries.map(({ entry }) => entry);
  if (!record.hasFirstRun || !record.hasFirstEntry) problems.push('its beginning is missing');
  const planned = record.calls.map(({ planned: { key } }) => key);
  const results = entries.flatMap((entry) => (entry.kind === 'result' ? [entry.key] : []));
  if (planned.join('\n') !== results.join('\n')) {
    problems.push(
      `calls ${planned.join(', ')} were planned, the transcript has ${results.join(', ')}`,
    );
  }
  let last: Entry | undefined;
  for (const entry of entries) {
    if (entry.kind === 'assistant') {
      if (last !== undefined && placeOf(last) === placeOf(entry)) {
        problems.push(`step ${placeOf(entry)} has two completions`);
      }
      last = entry;
    }
    if (entry.kind === 'result' && (last === undefined || placeOf(last) !== placeOf(entry))) {
      problems.push(`the result of ${entry.key} is not after its own completion`);
    }
  }
  for (const { id, taken } of said) {
    const times = entries.filter((entry) => entry.kind === 'user' && entry.id === id).length;
    if (times > 1 || (taken && times !== 1)) {
      problems.push(`message "${id}" is in the transcript ${times} times`);
    }
  }
  return problems;
}

function placeOf({ turn, step }: Entry): string {
  return `${turn}.${step}`;
}

/** What began although history had its end by then. */
function repeatedStepsOf({ record, seen }: Evidence): string[] {
  const ended = new Map<string, number>();
  for (const { attempts } of record.calls) {
    for (const { activityId, state, endedAt } of attempts) {
      if (state === 'completed' && endedAt !== undefined) {
        ended.set(withoutRerun(activityId), Date.parse(endedAt));
      }
    }
  }
  for (const { entry, at } of record.entries) {
    if (entry.kind === 'assistant' && at !== undefined) {
      ended.set(`${placeOf(entry)}.model`, Date.parse(at));
    }
  }
  return seen
    .filter(({ phase, activity, atMs }) => {
      const endMs = ended.get(withoutRerun(activity));
      return phase === 'begin' && endMs !== undefined && atMs > endMs;
    })
    .map(({ activity }) => `${activity} ran again after it had finished`);
}

function withoutRerun(activityId: string): string {
  return activityId.replace(/#\d+$/, '');
}

function repeatedOnceOf({ planned: { effect, key } }: RecordedCall, evidence: Evidence): string[] {
  if (effect !== 'once') return [];
  const times = evidence.effects?.get(key) ?? 0;
  if (times > 1) return [`the once call ${key} had its effect ${times} times`];
  const of = evidence.seen.filter((one) => one.key === key);
  const begun = of.filter(({ execution }) => execution === 'begun').length;
  const vouched = of.filter(({ reconciled }) => reconciled === 'not_done').length;
  return begun > 1 + vouched ? [`the once call ${key} was begun ${begun} times`] : [];
}

function falseOkOf({ planned, result }: RecordedCall, evidence: Evidence): string[] {
  const { effect, key } = planned;
  if (result?.outcome !== 'ok' || effect === 'read') return [];
  const times = evidence.effects?.get(key) ?? (evidence.effects ? 0 : executionsOf(key, evidence));
  return times === 0 || (evidence.effects !== undefined && times !== 1)
    ? [`${key} is ok, and had its effect ${times} times`]
    : [];
}

/** Executions that came to their end, or of which the tool itself found out that they did. */
function executionsOf(key: string, { seen }: Evidence): number {
  return seen.filter(
    (one) => one.key === key && (one.execution === 'done' || one.reconciled === 'done'),
  ).length;
}

function hiddenEffectOf({ planned, result }: RecordedCall, { effects }: Evidence): string[] {
  const times = effects?.get(planned.key) ?? 0;
  return times > 0 && result?.effect === 'none' && planned.effect !== 'read'
    ? [`${planned.key} had its effect, and its result (${result.outcome}) says that it had none`]
    : [];
}

function strangeEffects({ record, effects }: Evidence): string[] {
  const known = new Set(record.calls.map(({ planned: { key } }) => key));
  return [...(effects?.keys() ?? [])]
    .filter((key) => !known.has(key))
    .map((key) => `an effect of ${key}, which no completion asked for`);
}

function isUnknown({ result }: RecordedCall): boolean {
  return result?.outcome === 'outcome_unknown';
}

function isExplained({ attempts }: RecordedCall, kills: readonly KillTime[]): boolean {
  return attempts.some(({ scheduledAt, startedAt, endedAt, state }) => {
    if (state === 'completed') return false;
    const from = Date.parse(startedAt ?? scheduledAt);
    const to = endedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endedAt);
    return kills.some(({ fromMs, toMs }) => from <= toMs && to >= fromMs);
  });
}
