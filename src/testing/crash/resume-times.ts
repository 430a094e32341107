import type { Seen, Trace } from './trace.ts';

/** What a conversation was doing when its worker was killed. */
export const INTERRUPTED = ['an attempt', 'a workflow task', 'waiting'] as const;
export type Interrupted = (typeof INTERRUPTED)[number];

export interface ResumeTime {
  readonly interrupted: Interrupted;
  /** From "the next worker polls" (or what woke it, if that came later) to the next attempt's start. */
  readonly ms: number;
}

/** Measures how long conversations take to go on. */
export class ResumeClock {
  readonly times: ResumeTime[] = [];
  /** Conversations that were killed again before they went on. */
  cutShort = 0;
  readonly #open = new Map<string, Interrupted>();
  readonly #woken = new Map<string, number>();
  #readyAtMs = 0;

  /** Whether every attempt that was killed has been followed by another. */
  get allWentOn(): boolean {
    return ![...this.#open.values()].includes('an attempt');
  }

  killed(traces: ReadonlyMap<string, Trace>): void {
    this.cutShort += [...this.#open.values()].filter((what) => what !== 'waiting').length;
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
    const wokenAtMs = this.#woken.get(conversation);
    if (interrupted === 'waiting' && wokenAtMs === undefined) return;
    const from = Math.max(this.#readyAtMs, interrupted === 'waiting' ? (wokenAtMs ?? 0) : 0);
    this.times.push({ interrupted, ms: atMs - from });
  }

  ended(conversation: string): void {
    this.#open.delete(conversation);
  }
}
