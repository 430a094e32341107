import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { PerdureClient } from '../../client/index.ts';
import { ConversationRun } from './conversation-run.ts';
import type { CrashTestOptions } from './crash-options.ts';
import type { CrashReport } from './crash-report.ts';
import { eventsOf, failedTasks, lostTasks, pendingTask } from './workflow-tasks.ts';
import { Findings } from './findings.ts';
import { openHoldDesk } from './hold-desk.ts';
import { judge } from './judge.ts';
import { KillPlan, type PlannedKill } from './kill-plan.ts';
import { type Hittable, type KillPoint, targetsOf } from './kill-points.ts';
import { killWorker } from './kill-worker.ts';
import { keepHistory } from './keep-history.ts';
import type { Reached } from './messages.ts';
import { ResumeClock } from './resume-times.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { serveSettings } from './serve-settings.ts';
import { type Loaded, openWorkerLine, type WorkerLine } from './worker-line.ts';

export interface CrashRunOptions extends Omit<CrashTestOptions, 'config' | 'seed'> {
  readonly config: string;
  readonly seed: number;
  readonly client: PerdureClient;
  readonly dataDirectory: string;
  readonly compiledEntry?: URL;
}

const AT_ONCE = 12;
/** For the conversations to come to where they are to be killed. */
const PATIENCE_MS = 12_000;
/** For all conversations to go on before the next kill; those in a workflow task may need longer. */
const SETTLE_MS = 3_000;
/** For those that did not go on between three kills: a lost workflow task is found after 10 s. */
const SPARED_MS = 15_000;
const LOOK_AGAIN_MS = 50;
const WAITING_POINTS: ReadonlySet<KillPoint> = new Set(['approval', 'idle']);
const STUCK_AFTER_MS = 120_000;
/** Kills between two lines that say how far it is. */
const LOG_EVERY = 10;

/** One crash test: conversations on one side, kills on the other, until both are done. */
export class CrashRun {
  readonly #options: CrashRunOptions;
  readonly #random: SeededRandom;
  readonly #desk = openHoldDesk();
  readonly #clock = new ResumeClock();
  readonly #running = new Map<string, ConversationRun>();
  readonly #ending = new Set<Promise<void>>();
  readonly #stuck = new AbortController();
  #findings = new Findings([]);
  /** Whether ended conversations are followed by others: only where some are waited for. */
  #wantsMore = false;
  #people: { readonly back: Promise<void>; readonly release: () => void } | undefined;

  constructor(options: CrashRunOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    // Every conversation that runs waits for it.
    setMaxListeners(0, this.#stuck.signal);
  }

  async report(): Promise<CrashReport> {
    const { config, options = null, compiledEntry } = this.#options;
    const line = openWorkerLine({
      arguments: { config, options },
      ...(compiledEntry === undefined ? {} : { compiledEntry }),
      serve: await serveSettings(this.#options),
      onReached: (reached, go) => this.#reached(reached, go),
    });
    try {
      await this.#run(line);
    } finally {
      await line.close();
    }
    return this.#findings.report(this.#options.seed, this.#clock);
  }

  async #run(line: WorkerLine): Promise<void> {
    const { kills = 30, atOnce = AT_ONCE, log = () => {}, points } = this.#options;
    const targets = targetsOf(this.#hittable(await line.loaded())).filter(
      ({ point }) => points?.includes(point) ?? true,
    );
    this.#findings = new Findings(targets);
    await this.#serveNext(line);
    const plan = new KillPlan(targets, this.#random, { atOnce });
    let said = 0;
    for (let n = 1; n <= kills; n++) {
      const kill = plan.next();
      await this.#settle(kill);
      if ((await this.#kill(kill, line)) > 0) plan.hit(kill.target);
      await this.#serveNext(line);
      const { finished, begun, problems } = this.#findings;
      for (const problem of problems.slice(said)) log(problem);
      said = problems.length;
      if (n % LOG_EVERY === 0) {
        log(
          `${n} kills, ${finished} of ${begun} conversations finished, ${problems.length} problems`,
        );
      }
    }
    const { stuckAfterMs = STUCK_AFTER_MS } = this.#options;
    const timer = setTimeout(() => this.#stuck.abort(), stuckAfterMs);
    while (this.#ending.size > 0) await Promise.all(this.#ending);
    clearTimeout(timer);
  }

  #hittable({ effects, asks }: Loaded): Hittable {
    const { conversation, atOnce = AT_ONCE, handOverEvents } = this.#options;
    const first = Array.from({ length: atOnce }, (_, n) => conversation(n));
    return {
      effects,
      asks,
      chats: first.some(({ start }) => start.mode === 'chat'),
      talks: first.some(({ messages = [] }) => messages.length > 0),
      handsOver: handOverEvents !== undefined,
    };
  }

  async #serveNext(line: WorkerLine): Promise<void> {
    this.#clock.ready(await line.serveNext());
  }

  async #settle({ early, target }: PlannedKill): Promise<void> {
    // It comes right after its worker was replaced, and is over soon.
    if (target.point === 'in reconcile') return;
    const clock = this.#clock;
    const settled = Date.now() + (early ? 0 : SETTLE_MS);
    // How soon people's words are acted upon can only be seen when those that wait are left alone.
    const isSettled = () =>
      WAITING_POINTS.has(target.point) ? clock.everythingWentOn : clock.attemptsWentOn;
    while (!isSettled() && Date.now() < settled) await pause(LOOK_AGAIN_MS);
    const { setBack } = clock;
    const spared = Date.now() + SPARED_MS;
    while (clock.setBack.length > 0 && Date.now() < spared) await pause(LOOK_AGAIN_MS);
    clock.forgive(setBack);
  }

  /** Resolves with how many conversations it hit. */
  async #kill(kill: PlannedKill, line: WorkerLine): Promise<number> {
    line.prepareNext();
    this.#wantsMore = true;
    this.#fill();
    let fromMs = 0;
    const there = await killWorker(kill, {
      desk: this.#desk,
      runs: () => [...this.#running.values()],
      keepPeopleBack: (back) => this.#keepPeopleBack(back),
      patienceMs: PATIENCE_MS,
      kill: async () => {
        fromMs = Date.now();
        await line.kill();
        this.#wantsMore = false;
        this.#findings.kills.push({ fromMs, toMs: Date.now() });
      },
    });
    this.#desk.forget();
    const traces = new Map([...this.#running].map(([id, { trace }]) => [id, trace]));
    this.#clock.killed(traces, fromMs);
    for (const trace of traces.values()) trace.lose();
    this.#findings.hit(kill.target, there.length);
    return there.length;
  }

  #reached(reached: Reached, go: () => void): void {
    const seen = { ...reached, atMs: Date.now() };
    this.#running.get(reached.conversation)?.trace.add(reached, seen.atMs);
    this.#clock.saw(seen);
    this.#desk.take(reached, go);
  }

  /** As many conversations as are to run at once. */
  #fill(): void {
    const { atOnce = AT_ONCE } = this.#options;
    while (this.#wantsMore && this.#running.size < atOnce) this.#begin();
  }

  #begin(): void {
    const { client, conversation, answer = () => 'approve' } = this.#options;
    const { agent, start, messages = [] } = conversation(this.#findings.begun);
    this.#findings.begun += 1;
    const id = start.id ?? `${agent}-${this.#findings.begun}-${randomUUID().slice(0, 8)}`;
    const run = new ConversationRun({
      handle: client.handle(id),
      mode: start.mode ?? 'task',
      messages,
      answer,
      random: this.#random,
      mayAct: async () => this.#people?.back,
      onAct: () => this.#clock.woken(id),
    });
    this.#running.set(id, run);
    const ending = client
      .start(agent, { ...start, id })
      .then(() => this.#finish(run))
      .catch((error: unknown) => void this.#findings.problems.push(`${id}: ${String(error)}`))
      .finally(() => {
        this.#running.delete(id);
        this.#clock.ended(id);
        this.#ending.delete(ending);
        this.#fill();
      });
    this.#ending.add(ending);
  }

  async #finish(run: ConversationRun): Promise<void> {
    const findings = this.#findings;
    const { client, effects: effectsOf, histories } = this.#options;
    const { end, record } = await run.finish(this.#stuck.signal);
    const hasEnded = end !== 'stuck';
    if (hasEnded) findings.ended(run.id, end);
    else findings.stuckAt(run.id, await pendingTask(client.temporal, run.id));
    findings.problems.push(...run.failures.map((failure) => `${run.id}: ${failure}`));
    const events = await eventsOf(client.temporal, record);
    this.#clock.lostTasks(run.id, lostTasks(events));
    const failed = failedTasks(events);
    findings.tasksFailed(run.id, failed);
    const effects = await effectsOf?.(run.id);
    const evidence = { record, hasEnded, seen: run.trace.seen, kills: findings.kills };
    const verdict = judge({
      ...evidence,
      said: run.said,
      ...(effects === undefined ? {} : { effects }),
    });
    findings.judged(verdict);
    const problems = [...run.failures, ...failed, ...verdict.problems];
    const isGood = end === 'completed' && problems.length === 0;
    if (histories !== undefined && !isGood) await keepHistory(client, record, histories);
  }

  #keepPeopleBack(back: boolean): void {
    this.#people?.release();
    this.#people = undefined;
    if (!back) return;
    let release = (): void => {};
    const kept = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#people = { back: kept, release };
  }
}
