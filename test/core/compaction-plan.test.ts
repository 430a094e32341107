import { describe, expect, test } from 'vitest';
import { planCompaction } from '../../src/core/compaction.ts';
import type { Entry } from '../../src/core/entry.ts';
import { render, resultTexts, transcriptOf, viewsOf, type Shape } from './build-transcript.ts';

describe('a plan', () => {
  const step = (size: number): Shape => ({
    said: 0,
    noted: 'no',
    results: [size],
    failed: false,
    reasons: false,
  });
  const tenSteps = transcriptOf(
    Array.from({ length: 10 }, () => step(10_000)),
    false,
  );
  const plan = (budget: number, more = {}) =>
    planCompaction({ entries: tenSteps, view: undefined, reason: 'budget', budget, ...more });

  test('is to do nothing within the budget, and without one', () => {
    expect(plan(50_000).kind).toBe('none');
    expect(planCompaction({ entries: tenSteps, view: undefined, reason: 'budget' }).kind).toBe(
      'none',
    );
  });

  test('first shortens old results and keeps the last three steps whole', () => {
    const cut = plan(20_000);
    expect(cut).toMatchObject({ kind: 'cut', view: { cutBefore: 15, since: 21 } });
    const [view] = viewsOf(cut);
    const sizes = resultTexts(render(tenSteps, view)).map(({ length }) => length);
    expect(sizes.slice(-3)).toEqual([10_000, 10_000, 10_000]);
    expect(Math.max(...sizes.slice(0, -3))).toBeLessThan(400);
  });

  test('then has what came before the last steps summarised', () => {
    const talk = transcriptOf(
      Array.from({ length: 10 }, () => ({ ...step(10), said: 1 })),
      true,
    ).map((entry): Entry =>
      entry.kind === 'user' ? { ...entry, content: 'x'.repeat(3_000) } : entry,
    );
    const plan_ = planCompaction({
      entries: talk,
      view: undefined,
      reason: 'budget',
      budget: 9_000,
    });
    expect(plan_).toMatchObject({ kind: 'summarize', upTo: 21, view: { cutBefore: 21 } });
  });

  test('keeps fewer steps whole when three are too many', () => {
    expect(plan(8_000)).toMatchObject({ kind: 'cut', view: { cutBefore: 19 } });
  });

  test('follows what the provider counted rather than our estimate', () => {
    expect(plan(50_000, { contextTokens: 60_000 }).kind).toBe('cut');
    expect(plan(20_000, { contextTokens: 15_000 }).kind).toBe('none');
  });

  test('after an overflow halves the context, whatever the budget says', () => {
    const after = planCompaction({ entries: tenSteps, view: undefined, reason: 'overflow' });
    const before = planCompaction({ entries: tenSteps, view: undefined, reason: 'budget' }).tokens;
    expect(after.kind).toBe('cut');
    expect(after.tokens).toBeLessThanOrEqual(before / 2);
  });

  test('after an overflow shortens even the newest result', () => {
    const one = transcriptOf([step(100_000)], false);
    const after = planCompaction({ entries: one, view: undefined, reason: 'overflow' });
    expect(after).toMatchObject({ kind: 'cut', view: { cutBefore: 3 } });
  });

  test('is to do nothing when little would be won', () => {
    const large = transcriptOf([{ ...step(10), said: 1 }], true).map((entry): Entry =>
      entry.kind === 'user' ? { ...entry, content: 'x'.repeat(50_000) } : entry,
    );
    expect(planCompaction({ entries: large, view: undefined, reason: 'overflow' }).kind).toBe(
      'none',
    );
  });

  test('counts what is kept as a blob by its size', () => {
    const blob = { blob: 'f00d', size: 100_000, preview: 'x' };
    const entries = tenSteps.map((entry): Entry => {
      if (entry.kind === 'result') return { ...entry, content: blob };
      if (entry.kind === 'assistant') return { ...entry, raw: blob };
      return entry;
    });
    const { tokens } = planCompaction({ entries, view: undefined, reason: 'budget' });
    expect(tokens).toBeGreaterThan(20 * (100_000 / 4));
    expect(tokens).toBeLessThan(20 * (100_000 / 2));
  });
});
