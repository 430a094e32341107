import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type EffectStore, startEffectStore } from './effect-store.ts';
import { quickCrashTest } from './quick-crash-test.ts';

const liars = new URL('liars.fixture.ts', import.meta.url);
let store: EffectStore;
beforeEach(async () => {
  store = await startEffectStore();
});
afterEach(() => store.close());

describe('a crash test', () => {
  test('finds a tool that is not as idempotent as it says, and a reconcile that lies', async () => {
    const report = await quickCrashTest(
      {
        config: liars,
        options: { url: store.url },
        conversation: (n) => ({
          agent: n % 2 === 0 ? 'twice' : 'forgetful',
          start: { message: 'Act' },
        }),
        effects: (conversationId) => store.effectsOf(conversationId),
        points: ['after effect'],
        kills: 2,
        atOnce: 4,
        seed: 3,
        address: inject('temporalAddress'),
      },
      inject('compiledPath'),
    );
    expect(report).toMatchObject({ kills: 2, repeatedSteps: 0, conversations: { stuck: 0 } });
    expect(report.falseOk).toBeGreaterThan(1);
    expect(report.repeatedOnce).toBeGreaterThan(0);
    expect(report.problems.join('\n')).toMatch(/is ok, and had its effect 2 times/);
  });

  test('goes by executions where no store can be asked, and then has to believe a reconcile', async () => {
    const report = await quickCrashTest(
      {
        config: liars,
        options: { url: store.url },
        conversation: () => ({ agent: 'forgetful', start: { message: 'Act' } }),
        points: ['after effect'],
        kills: 2,
        atOnce: 2,
        seed: 4,
        address: inject('temporalAddress'),
      },
      inject('compiledPath'),
    );
    expect(report).toMatchObject({ repeatedOnce: 0, falseOk: 0, problems: [] });
    expect(report.hits.find(({ target }) => target.effect === 'once, reconciles')?.kills).toBe(1);
  });
});
