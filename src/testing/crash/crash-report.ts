import type { Category } from '../../core/outcome.ts';
import { EFFECT_CLASSES, type EffectClass, type KillTarget, nameOf } from './kill-points.ts';
import type { Verdict } from './judge.ts';
import { INTERRUPTED, type Interrupted, type ResumeTime } from './resume-times.ts';

export interface Hits {
  readonly target: KillTarget;
  /** Kills that hit at least one conversation there. */
  kills: number;
  /** Conversations that were there when their worker was killed. */
  conversations: number;
  /** Kills that came although nothing was there in time. */
  missed: number;
}

/** What a crash test found. Everything held when `problems` is empty. */
export interface CrashReport {
  /** The same seed makes the same choices of kills. */
  readonly seed: number;
  readonly kills: number;
  readonly hits: readonly Readonly<Hits>[];
  readonly conversations: {
    readonly begun: number;
    readonly finished: number;
    readonly stuck: number;
  };
  /** Workflow tasks that failed: faults of workflow code, which a killed worker does not explain. */
  readonly failedTasks: number;
  /** Finished steps that ran again. */
  readonly repeatedSteps: number;
  /** Calls of `once` tools that had their effect, or were begun, more often than they may. */
  readonly repeatedOnce: number;
  /** Calls that ended as `ok` and did not have their effect exactly once. */
  readonly falseOk: number;
  /** Calls of which nobody knows whether they happened; the second without a kill that explains it. */
  readonly outcomeUnknown: { readonly all: number; readonly unexplained: number };
  /** Calls by effect class and outcome. */
  readonly outcomes: {
    readonly [effect in EffectClass]: { readonly [outcome in Category]?: number };
  };
  /** Milliseconds from "the next worker polls" to the next attempt's start. */
  readonly resume: { readonly [what in Interrupted]: Quantiles };
  /** Conversations that were killed again before they went on. */
  readonly cutShort: number;
  /** What did not hold, in words; empty when everything did. */
  readonly problems: readonly string[];
  /** All of this as a Markdown table. */
  readonly table: string;
}

export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { count: sorted.length, p50: at(0.5) ?? 0, p95: at(0.95) ?? 0, max: sorted.at(-1) ?? 0 };
}

export function resumeOf(times: readonly ResumeTime[]): CrashReport['resume'] {
  const quantiles = (what: Interrupted) =>
    quantilesOf(times.filter(({ interrupted }) => interrupted === what).map(({ ms }) => ms));
  return {
    'an attempt': quantiles('an attempt'),
    'a workflow task': quantiles('a workflow task'),
    waiting: quantiles('waiting'),
  };
}

export function outcomesOf(verdicts: readonly Verdict[]): CrashReport['outcomes'] {
  const counts: { [effect in EffectClass]: { [outcome in Category]?: number } } = {
    read: {},
    idempotent: {},
    once: {},
    'once, reconciles': {},
  };
  for (const { call, outcome } of verdicts.flatMap(({ outcomes }) => outcomes)) {
    const { effect, reconciles } = call.planned;
    const of = counts[effect === 'once' && reconciles === true ? 'once, reconciles' : effect];
    of[outcome] = (of[outcome] ?? 0) + 1;
  }
  return counts;
}

export function tableOf(report: Omit<CrashReport, 'table'>): string {
  const { conversations, outcomeUnknown, resume } = report;
  return [
    row('Killed at', 'kills', 'conversations there', 'kills too early'),
    row('---', '---:', '---:', '---:'),
    ...report.hits.map(({ target, kills, conversations: there, missed }) =>
      row(nameOf(target), kills, there, missed),
    ),
    '',
    row('', `seed ${report.seed}`),
    row('---', '---:'),
    row('kills', report.kills),
    row('conversations begun', conversations.begun),
    row('conversations finished', conversations.finished),
    row('conversations stuck', conversations.stuck),
    row('workflow tasks failed', report.failedTasks),
    row('finished steps repeated', report.repeatedSteps),
    row('`once` effects repeated', report.repeatedOnce),
    row('false `ok`', report.falseOk),
    row('`outcome_unknown`', outcomeUnknown.all),
    row('`outcome_unknown` without a kill that explains it', outcomeUnknown.unexplained),
    row('other problems', otherProblems(report)),
    '',
    row('Resumed after (ms)', 'times', 'p50', 'p95', 'max'),
    row('---', '---:', '---:', '---:', '---:'),
    ...INTERRUPTED.map((what) => {
      const { count, p50, p95, max } = resume[what];
      return row(
        `killed in ${what}`.replace('in waiting', 'while it waited'),
        count,
        p50,
        p95,
        max,
      );
    }),
    row('killed again before', report.cutShort, '', '', ''),
    '',
    row('Outcomes of calls', ...EFFECT_CLASSES),
    row('---', ...EFFECT_CLASSES.map(() => '---:')),
    ...outcomeRows(report.outcomes),
  ].join('\n');
}

function otherProblems(report: Omit<CrashReport, 'table'>): number {
  const { conversations, failedTasks, repeatedSteps, repeatedOnce, falseOk, problems } = report;
  const shown = [conversations.stuck, failedTasks, repeatedSteps, repeatedOnce, falseOk];
  const { unexplained } = report.outcomeUnknown;
  return problems.length - shown.reduce((all, one) => all + one, unexplained);
}

function outcomeRows(outcomes: CrashReport['outcomes']): readonly string[] {
  const names = new Set(EFFECT_CLASSES.flatMap((effect) => Object.keys(outcomes[effect])));
  return [...names].map((outcome) =>
    row(
      `\`${outcome}\``,
      ...EFFECT_CLASSES.map((effect) => outcomes[effect][outcome as Category] ?? 0),
    ),
  );
}

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}
