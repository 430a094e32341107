import type { Seen, Trace } from './trace.ts';

/** What a conversation was doing when its worker was killed. */
export const INTERRUPTED = ['an attempt', 'a workflow task', 'waiting'] as const;
export type Interrupted = (typeof INTERRUPTED)[number];

export interface ResumeTime {
  readonly conversation: string;
  readonly interrupted: Interrupted;
  readonly killedAtMs: number;
  /** When its next attempt began. */
  readonly wentOnAtMs: number;
  /** From "the next worker polls" (or what woke it, if that came later) to the next attempt's start. */
  readonly ms: number;
}

/** Measures how long conversations take to go on. */
export class ResumeClock {
  readonly #times: ResumeTime[] = [];
  readonly #lostTasks = new Map<string, readonly number[]>();
  /** Conversations that were killed again before they went on. */
  cutShort = 0;
  readonly #open = new Map<string, Interrupted>();
  readonly #woken = new Map<string, number>();
  /** Kills in a row after which a conversation had not gone on yet when the next one came. */
  readonly #setBacks = new Map<string, number>();
  #killedAtMs = 0;
  #readyAtMs = 0;

  /** Whether every attempt that was killed has been followed by another. */
  get attemptsWentOn(): boolean {
    return ![...this.#open.values()].includes('an attempt');
  }

  /** Whether what was killed in a workflow task, or while it waited for a person, has gone on, too. */
  get everythingWentOn(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Conversations that were killed three times in a row before they went on. Temporal lets the next
   * workflow task of such a one take longer and longer, ten minutes in the end: another kill would
   * make them wait for that.
   */
  get setBack(): readonly string[] {
    return [...this.#setBacks].flatMap(([id, times]) => (times > 1 ? [id] : []));
  }

  /** They have had their time. */
  forgive(conversations: readonly string[]): void {
    for (const conversation of conversations) this.#setBacks.delete(conversation);
  }

  killed(traces: ReadonlyMap<string, Trace>, atMs: number): void {
    this.#killedAtMs = atMs;
    const cutShort = [...this.#open].flatMap(([id, what]) => (what === 'waiting' ? [] : [id]));
    this.cutShort += cutShort.length;
    for (const id of cutShort) this.#setBacks.set(id, (this.#setBacks.get(id) ?? 0) + 1);
    this.#open.clear();
    this.#woken.clear();
    this.#readyAtMs = 0;
    for (const [conversation, { inFlight, asking, idle }] of traces) {
      const between = asking.length > 0 || idle ? 'waiting' : 'a workflow task';
      this.#open.set(conversation, inFlight.size > 0 ? 'an attempt' : between);
    }
  }

  ready(atMs: number): void {
    this.#readyAtMs = atMs;
  }

  /** A person said or decided something: what waited goes on from here. */
  woken(conversation: string): void {
    if (!this.#woken.has(conversation)) this.#woken.set(conversation, Date.now());
  }

  saw({ conversation, phase, atMs }: Seen): void {
    const interrupted = this.#open.get(conversation);
    if (phase !== 'begin' || interrupted === undefined || this.#readyAtMs === 0) return;
    this.#open.delete(conversation);
    this.#setBacks.delete(conversation);
    const wokenAtMs = this.#woken.get(conversation);
    if (interrupted === 'waiting' && wokenAtMs === undefined) return;
    const from = Math.max(this.#readyAtMs, interrupted === 'waiting' ? (wokenAtMs ?? 0) : 0);
    const killedAtMs = this.#killedAtMs;
    this.#times.push({
      conversation,
      interrupted,
      killedAtMs,
      wentOnAtMs: atMs,
      ms: atMs - from,
    });
  }

  /**
   * Workflow tasks of a conversation that its worker took with it, by when the server gave them up.
   * From outside nobody can tell whether a result had just begun another one: history can.
   */
  lostTasks(conversation: string, atMs: readonly number[]): void {
    this.#lostTasks.set(conversation, atMs);
  }

  get times(): readonly ResumeTime[] {
    return this.#times.map((time) => {
      const { conversation, killedAtMs, wentOnAtMs } = time;
      const lost = (this.#lostTasks.get(conversation) ?? []).some(
        (atMs) => atMs > killedAtMs && atMs <= wentOnAtMs,
      );
      return lost ? { ...time, interrupted: 'a workflow task' } : time;
    });
  }

  ended(conversation: string): void {
    this.#open.delete(conversation);
    this.#setBacks.delete(conversation);
  }
}
