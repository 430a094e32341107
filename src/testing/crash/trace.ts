import type { Reached } from './messages.ts';

export interface Seen extends Reached {
  /** Milliseconds since 1970, when the driver heard of it. */
  readonly atMs: number;
}

/** What the worker processes said of one conversation, over all of them, and where it stands. */
export class Trace {
  readonly seen: Seen[] = [];
  /** Activities that run now, by id. */
  readonly inFlight = new Set<string>();
  /** Keys of calls about which a person is asked, as far as one can tell from outside. */
  asking: readonly string[] = [];
  /** The turn has ended, as far as one can tell from outside. */
  idle = false;

  add(reached: Reached, atMs: number): void {
    this.seen.push({ ...reached, atMs });
    const { activity, phase, asks, ends } = reached;
    if (phase === 'begin') {
      this.inFlight.add(activity);
      // A completion follows all verdicts and messages; the same one again plans other calls.
      if (/\.model(#|$)/.test(activity)) {
        this.asking = [];
        this.idle = false;
      }
    }
    if (phase === 'end') this.inFlight.delete(activity);
    if (asks !== undefined && asks.length > 0) this.asking = asks;
    if (ends === true) this.idle = true;
  }

  /** The process that ran its activities is gone. */
  lose(): void {
    this.inFlight.clear();
  }
}
