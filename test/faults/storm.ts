import { crashTest, type CrashReport, type CrashTestOptions } from '../../src/testing/index.ts';
import { startEffectStore } from './effect-store.ts';

/** Kills workers under conversations with every kind of tool; `violations` is what models would refuse. */
export async function storm(
  options: Pick<
    CrashTestOptions,
    'kills' | 'seed' | 'address' | 'log' | 'atOnce' | 'histories' | 'points'
  >,
): Promise<CrashReport & { readonly violations: readonly string[] }> {
  const store = await startEffectStore();
  try {
    const report = await crashTest({
      ...options,
      config: new URL('storm.fixture.ts', import.meta.url),
      options: { url: store.url },
      conversation: (n) =>
        n % 3 === 2
          ? {
              agent: 'chatter',
              start: { mode: 'chat', message: 'One' },
              messages: ['Two', 'Three'],
            }
          : { agent: 'clerk', start: { message: 'Handle it' }, messages: ['By the way', 'And'] },
      effects: (conversationId) => store.effectsOf(conversationId),
      handOverEvents: 60,
    });
    return { ...report, violations: [...store.violations] };
  } finally {
    await store.close();
  }
}
