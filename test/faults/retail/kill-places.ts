import type { KillPoint } from '../../../src/testing/index.ts';
import type { SeededRandom } from '../../../src/testing/crash/seeded-random.ts';

/** Where a conversation is when its worker is killed. */
export interface KillPlace {
  /** Without the number of its schedule: `1.2.model`, `1.2.0`. */
  readonly activity: string;
  readonly point: KillPoint;
}

const IN_CALL = ['before tool', 'before effect', 'after tool', 'after effect'] as const;
/** A call that fails has no effect to come after. */
const IN_FAILING_CALL = IN_CALL.slice(0, -1);
const IN_MODEL = ['before model', 'in model', 'after model'] as const;

/**
 * Two places for a task of a call each step: the first anywhere, the second in a later step; a task
 * without calls has one.
 * @param outcomes of its calls; `ok`, or how it fails
 */
export function killPlaces(
  outcomes: readonly string[],
  random: SeededRandom,
): readonly KillPlace[] {
  const calls = outcomes.length;
  const first = random.between(1, Math.max(calls, 1));
  const second = random.between(first + 1, calls + 1);
  return (calls === 0 ? [1] : [first, second]).map((step) =>
    placeIn(step, outcomes[step - 1], random),
  );
}

function placeIn(step: number, outcome: string | undefined, random: SeededRandom): KillPlace {
  const inModel = outcome === undefined || random.next() < 0.3;
  const points: readonly KillPoint[] = inModel
    ? IN_MODEL
    : outcome === 'ok'
      ? IN_CALL
      : IN_FAILING_CALL;
  const point = points[random.between(0, points.length - 1)] ?? 'in model';
  return { activity: inModel ? `1.${step}.model` : `1.${step}.0`, point };
}
