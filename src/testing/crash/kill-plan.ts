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

/**
 * Which kills there will be, in order: every target comes up equally often, in an order that differs
 * from round to round.
 */
export function planKills(
  targets: readonly KillTarget[],
  kills: number,
  random: SeededRandom,
): readonly PlannedKill[] {
  const plan: PlannedKill[] = [];
  while (plan.length < kills) {
    const round = withReconciles(random.shuffled(targets));
    for (const target of round) {
      plan.push({
        target,
        conversations: random.between(1, MOST_AT_ONCE),
        delayMs: random.between(0, LONGEST_DELAY_MS),
        early: target.point === 'in reconcile' || random.next() < EARLY_SHARE,
      });
    }
  }
  return plan.slice(0, kills);
}

/** A call is reconciled after its worker died: that kill comes right before. */
function withReconciles(targets: readonly KillTarget[]): readonly KillTarget[] {
  const reconcile = targets.find(({ point }) => point === 'in reconcile');
  if (reconcile === undefined) return targets;
  const others = targets.filter((target) => target !== reconcile);
  const died = others.findIndex((target) => nameOf(target) === 'after effect, once, reconciles');
  return [...others.slice(0, died + 1), reconcile, ...others.slice(died + 1)];
}
