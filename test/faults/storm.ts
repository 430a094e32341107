import type { Duration } from '../../src/core/duration.ts';
import type { CrashReport, CrashTestOptions } from '../../src/testing/index.ts';
import { startEffectStore } from './effect-store.ts';
import { quickCrashTest } from './quick-crash-test.ts';

export interface StormOptions extends Pick<
  CrashTestOptions,
  'kills' | 'seed' | 'address' | 'log' | 'atOnce' | 'histories' | 'points'
> {
  /** Folder of the compiled tree. */
  readonly compiledPath: string;
  /** Whether people say something while an agent works; default yes. */
  readonly talk?: boolean;
  /** Default 3 s: fewer kills wait for a workflow task that another one cost. */
  readonly workflowTaskTimeout?: Duration;
}

/** Temporal gives up to ten minutes to a workflow task that was lost many times in a row. */
const STUCK_AFTER_MS = 12 * 60_000;

/** Kills workers under conversations with every kind of tool; `violations` is what models would refuse. */
export async function storm({
  compiledPath,
  talk = true,
  workflowTaskTimeout = '3 seconds',
  ...options
}: StormOptions): Promise<CrashReport & { readonly violations: readonly string[] }> {
  const store = await startEffectStore();
  try {
    const settings = {
      ...options,
      config: new URL('storm.fixture.ts', import.meta.url),
      options: { url: store.url },
      conversation: (n: number) =>
        n % 3 === 2
          ? {
              agent: 'chatter',
              start: { mode: 'chat' as const, message: 'One', workflowTaskTimeout },
              messages: ['Two', 'Three'],
            }
          : {
              agent: 'clerk',
              start: { message: 'Handle it', workflowTaskTimeout },
              ...(talk ? { messages: ['By the way', 'And'] } : {}),
            },
      effects: (conversationId: string) => store.effectsOf(conversationId),
      handOverEvents: 60,
      stuckAfterMs: STUCK_AFTER_MS,
    };
    const report = await quickCrashTest(settings, compiledPath);
    return { ...report, violations: [...store.violations] };
  } finally {
    await store.close();
  }
}
