import type { ConversationRecord } from '../../src/client/index.ts';
import { textOf } from '../../src/core/content.ts';
import { isBlobReference } from '../../src/core/stored.ts';
import type { SeenEffect } from '../support/counting-service.ts';

/** What an approver did about a call. */
export interface Decided {
  /** `refused`: something else had settled it before. */
  readonly how: 'deny' | 'approve' | 'edit' | 'refused';
  /** The conversation has answered; else it was left as a signal, and a stop may have come before it. */
  readonly recorded: boolean;
}

export interface StormReport {
  readonly handOvers: number;
  readonly kills: number;
  readonly stops: number;
  readonly messages: number;
  readonly verdicts: number;
  readonly effects: number;
  readonly interrupted: number;
  /** What should not be; empty. */
  readonly problems: readonly string[];
}

export interface Storm {
  readonly record: ConversationRecord;
  /** By sender, in order of sending. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  readonly decided: ReadonlyMap<string, Decided>;
  readonly effects: readonly SeenEffect[];
  readonly logs: string;
  readonly runs: number;
  readonly kills: number;
  readonly stops: number;
}

export function judgeStorm(storm: Storm): StormReport {
  const { record, sent, decided, effects } = storm;
  const said = record.entries.flatMap(({ entry }) =>
    entry.kind === 'user' && !isBlobReference(entry.content) ? [textOf(entry.content)] : [],
  );
  const stopped = record.entries.filter(
    ({ entry }) => entry.kind === 'note' && entry.code === 'stopped',
  );
  return {
    handOvers: storm.runs - 1,
    kills: storm.kills,
    stops: storm.stops,
    messages: said.length,
    verdicts: [...decided.values()].filter(({ how }) => how !== 'refused').length,
    effects: effects.length,
    interrupted: stopped.length,
    problems: [
      ...messageProblems(said, sent),
      ...verdictProblems(record, decided, effects),
      ...(stopped.length === 0 ? ['no stop interrupted anything'] : []),
      ...(storm.logs.includes('TMPRL1102') ? ['a run ended with unfinished handlers'] : []),
      ...(record.hasFirstEntry ? [] : ['the transcript does not begin with its first entry']),
    ],
  };
}

/** Each message once, and each sender's in the order in which it sent them. */
function messageProblems(
  said: readonly string[],
  sent: ReadonlyMap<string, readonly string[]>,
): string[] {
  const problems: string[] = [];
  for (const [sender, texts] of sent) {
    const heard = said.filter((text) => text.startsWith(`${sender} `));
    // The last one may have been cut off between its arrival and its answer.
    const whole = heard.slice(0, texts.length);
    if (JSON.stringify(whole) !== JSON.stringify(texts) || heard.length > texts.length + 1) {
      problems.push(
        `${sender}: sent ${texts.length}, heard ${heard.length}; first difference at ` +
          `${texts.findIndex((text, n) => heard[n] !== text)} (${heard.slice(-3).join(', ')})`,
      );
    }
  }
  return problems;
}

/** Each call has one result, which is what the first verdict about it says; nothing was paid twice. */
function verdictProblems(
  record: ConversationRecord,
  decided: ReadonlyMap<string, Decided>,
  effects: readonly SeenEffect[],
): string[] {
  const problems: string[] = [];
  const results = new Map<string, string[]>();
  for (const { entry } of record.entries) {
    if (entry.kind !== 'result' || entry.tool !== 'pay') continue;
    results.set(entry.key, [...(results.get(entry.key) ?? []), entry.outcome]);
  }
  for (const [key, outcomes] of results) {
    if (outcomes.length !== 1) problems.push(`${key} has the results ${outcomes.join(', ')}`);
  }
  for (const [key, { how, recorded }] of decided) {
    const [outcome] = results.get(key) ?? [];
    const paid = effects.filter((effect) => effect['key'] === key);
    if (outcome === undefined) problems.push(`${key} has no result`);
    if (paid.length > 1) problems.push(`${key} was paid ${paid.length} times`);
    if (outcome === 'ok' && paid.length !== 1) problems.push(`${key} is ok and was not paid`);
    const isStopped = !recorded && outcome === 'cancelled';
    if (how === 'deny' && outcome !== 'denied' && !isStopped) {
      problems.push(`${key} was denied${recorded ? '' : ' by a signal'} and is ${outcome}`);
    }
    if (how === 'deny' && paid.length > 0) problems.push(`${key} was denied and paid`);
    const mayBe = ['ok', 'cancelled', 'outcome_unknown'];
    if (how === 'approve' || how === 'edit') {
      if (!mayBe.includes(outcome ?? '')) problems.push(`${key} was approved and is ${outcome}`);
      const edited = paid[0]?.['edited'];
      if (paid.length === 1 && edited !== (how === 'edit')) {
        problems.push(`${key} was ${how === 'edit' ? '' : 'not '}edited, and was paid otherwise`);
      }
    }
  }
  return problems;
}
