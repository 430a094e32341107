import { type CrashReport, type Hits, outcomesOf, resumeOf, tableOf } from './crash-report.ts';
import type { KillTime, Verdict } from './judge.ts';
import { type KillTarget, nameOf } from './kill-points.ts';
import type { ResumeClock } from './resume-times.ts';

/** What a crash test has seen so far. */
export class Findings {
  readonly kills: KillTime[] = [];
  readonly problems: string[] = [];
  begun = 0;
  finished = 0;
  stuck = 0;
  failedTasks = 0;
  readonly #verdicts: Verdict[] = [];
  readonly #hits: ReadonlyMap<string, Hits>;

  constructor(targets: readonly KillTarget[]) {
    this.#hits = new Map(
      targets.map((target) => [
        nameOf(target),
        { target, kills: 0, conversations: 0, missed: 0 } satisfies Hits,
      ]),
    );
  }

  hit(target: KillTarget, conversations: number): void {
    const hits = this.#hits.get(nameOf(target));
    if (hits === undefined) return;
    hits.conversations += conversations;
    if (conversations === 0) hits.missed += 1;
    else hits.kills += 1;
  }

  ended(id: string, end: string): void {
    if (end === 'completed') this.finished += 1;
    else this.problems.push(`${id}: it did not complete: ${end}`);
  }

  stuckAt(id: string, where: string): void {
    this.stuck += 1;
    this.problems.push(`${id}: it is stuck: it had not ended in time, with ${where}`);
  }

  tasksFailed(id: string, failures: readonly string[]): void {
    this.failedTasks += failures.length;
    this.problems.push(...failures.map((failure) => `${id}: a workflow task failed: ${failure}`));
  }

  judged(verdict: Verdict): void {
    this.#verdicts.push(verdict);
    this.problems.push(...verdict.problems);
  }

  report(seed: number, clock: ResumeClock): CrashReport {
    const sum = (count: (verdict: Verdict) => number) =>
      this.#verdicts.reduce((total, verdict) => total + count(verdict), 0);
    const { begun, finished, stuck, failedTasks, kills, problems } = this;
    const report = {
      seed,
      kills: kills.length,
      hits: [...this.#hits.values()],
      conversations: { begun, finished, stuck },
      failedTasks,
      repeatedSteps: sum(({ repeatedSteps }) => repeatedSteps),
      repeatedOnce: sum(({ repeatedOnce }) => repeatedOnce),
      falseOk: sum(({ falseOk }) => falseOk),
      outcomeUnknown: {
        all: sum(({ unknown }) => unknown),
        unexplained: sum(({ unexplained }) => unexplained),
      },
      outcomes: outcomesOf(this.#verdicts),
      resume: resumeOf(clock.times),
      cutShort: clock.cutShort,
      problems,
    };
    return { ...report, table: tableOf(report) };
  }
}
