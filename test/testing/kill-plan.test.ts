import { describe, expect, test } from 'vitest';
import { KillPlan } from '../../src/testing/crash/kill-plan.ts';
import { EFFECT_CLASSES, nameOf, targetsOf } from '../../src/testing/crash/kill-points.ts';
import { seededRandom } from '../../src/testing/crash/seeded-random.ts';

const everything = targetsOf({
  effects: EFFECT_CLASSES,
  asks: true,
  chats: true,
  talks: true,
  handsOver: true,
});

/** Hits by target of so many kills, of which some miss. */
function hitsOf(kills: number, misses: (name: string, chance: number) => boolean) {
  const random = seededRandom(1);
  const plan = new KillPlan(everything, random, { atOnce: 16 });
  const hits = new Map(everything.map((target) => [nameOf(target), 0]));
  for (let n = 0; n < kills; n++) {
    const { target } = plan.next();
    const name = nameOf(target);
    if (misses(name, random.next())) continue;
    plan.hit(target);
    hits.set(name, (hits.get(name) ?? 0) + 1);
  }
  return hits;
}

describe('a thousand kills', () => {
  test('hit every point of every effect class thirty times, although one in nine comes too early', () => {
    const hits = hitsOf(1_000, (_, chance) => chance < 1 / 9);
    expect(Math.min(...hits.values())).toBeGreaterThanOrEqual(30);
  });

  test('are not used up by a point that nobody comes to', () => {
    const hits = hitsOf(1_000, (name) => name === 'idle');
    hits.delete('idle');
    expect(Math.min(...hits.values())).toBeGreaterThanOrEqual(30);
  });

  test('come inside reconcile right after a kill that leaves a call to be reconciled', () => {
    const plan = new KillPlan(everything, seededRandom(2), { atOnce: 16 });
    const names = Array.from({ length: 200 }, () => nameOf(plan.next().target));
    const before = names.flatMap((name, n) => (name === 'in reconcile' ? [names[n - 1]] : []));
    expect(new Set(before)).toEqual(new Set(['after effect, once, reconciles']));
  });
});
