import type { Interruption, Interruptions } from './interruptions.ts';

/** How code of a tool ended. `abandoned`: it was told to stop and did not, within the grace period. */
export type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'abandoned' };

export interface Ended {
  readonly ending: Ending;
  /** Set when it was told to stop before it ended. */
  readonly interruption?: Interruption;
}

/**
 * Runs code of a tool until it ends, or until it was told to stop and the grace period passed.
 * Never throws. What abandoned code does later is reported and otherwise ignored.
 */
export async function runToEnd(
  code: () => unknown,
  interruptions: Interruptions,
  options: {
    readonly graceMs: number;
    readonly onLateEnd: (ending: Ending) => void;
    /** Milliseconds for which the code held the event loop before it first gave it back. */
    readonly onHeldLoop?: (ms: number) => void;
  },
): Promise<Ended> {
  let abandoned = false;
  let done = false;
  let graceTimer: NodeJS.Timeout | undefined;
  const ended = endingOf(code, options.onHeldLoop).then((ending) => {
    if (abandoned) options.onLateEnd(ending);
    return ending;
  });
  const givenUp = interruptions.told.then(
    () =>
      new Promise<Ending>((resolve) => {
        if (!done) graceTimer = setTimeout(() => resolve({ kind: 'abandoned' }), options.graceMs);
      }),
  );
  const ending = await Promise.race([ended, givenUp]);
  done = true;
  clearTimeout(graceTimer);
  abandoned = ending.kind === 'abandoned';
  const interruption = interruptions.reason();
  return interruption === undefined ? { ending } : { ending, interruption };
}

async function endingOf(
  code: () => unknown,
  onHeldLoop: ((ms: number) => void) | undefined,
): Promise<Ending> {
  try {
    const began = performance.now();
    let pending: unknown;
    try {
      pending = code();
    } finally {
      onHeldLoop?.(performance.now() - began);
    }
    return { kind: 'returned', value: await pending };
  } catch (error) {
    return { kind: 'threw', error };
  }
}
