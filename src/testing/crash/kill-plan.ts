import { type KillTarget, nameOf } from './kill-points.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface PlannedKill {
  readonly target: KillTarget;
  /** Killed when so many conversations are there. */
  readonly conversations: number;
  /** Milliseconds; what a kill at a moment waits for. */
  readonly delayMs: number;
  /** Before all conversations have gone on after the kill before. */
  readonly early: boolean;
}

const MOST_AT_ONCE = 6;
const LONGEST_DELAY_MS = 1_500;
const EARLY_SHARE = 0.3;
/** Tries of one target in one round: one that nobody ever comes to must not use up all kills. */
const MOST_TRIES = 2;
const BEFORE_RECONCILE = 'after effect, once, reconciles';

/**
 * Says where to kill next: round after round every target once, in an order that differs, and those
 * again that were missed in earlier rounds. So all are hit about equally often.
 */
export class KillPlan {
  readonly #targets: readonly KillTarget[];
  readonly #random: SeededRandom;
  /** Conversations that are waited for at most. */
  readonly #most: number;
  readonly #hits = new Map<string, number>();
  #rounds = 0;
  #left: KillTarget[] = [];

  constructor(
    targets: readonly KillTarget[],
    random: SeededRandom,
    { atOnce }: { readonly atOnce: number },
  ) {
    if (targets.length === 0) {
      throw new Error(
        'none of the chosen points can be reached by these conversations: choose others',
      );
    }
    this.#targets = targets;
    this.#random = random;
    this.#most = Math.min(atOnce, MOST_AT_ONCE);
  }

  next(): PlannedKill {
    const target = this.#left.shift() ?? this.#nextRound();
    const random = this.#random;
    return {
      target,
      conversations: random.between(1, this.#most),
      delayMs: random.between(0, LONGEST_DELAY_MS),
      early: random.next() < EARLY_SHARE,
    };
  }

  hit(target: KillTarget): void {
    this.#hits.set(nameOf(target), this.#hitsOf(target) + 1);
  }

  #nextRound(): KillTarget {
    this.#rounds += 1;
    const round = this.#targets.flatMap((target) => {
      const tries = Math.min(MOST_TRIES, this.#rounds - this.#hitsOf(target));
      return Array.from({ length: tries }, () => target);
    });
    const [first, ...left] = withReconciles(this.#random.shuffled(round));
    this.#left = left;
    if (first === undefined) return this.#nextRound();
    return first;
  }

  #hitsOf(target: KillTarget): number {
    return this.#hits.get(nameOf(target)) ?? 0;
  }
}

/** A call is reconciled after its worker died: that kill comes right before. */
function withReconciles(round: readonly KillTarget[]): readonly KillTarget[] {
  const reconciles = round.filter(({ point }) => point === 'in reconcile');
  return round.flatMap((target) => {
    if (target.point === 'in reconcile') return [];
    const reconcile = nameOf(target) === BEFORE_RECONCILE ? reconciles.splice(0) : [];
    return reconcile.length === 0 ? [target] : reconcile.flatMap((one) => [target, one]);
  });
}
