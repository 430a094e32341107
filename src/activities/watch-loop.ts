import { performance } from 'node:perf_hooks';

const TICK_MS = 250;

export interface LoopWatch {
  start(): void;
  stop(): void;
  /** A piece of code was measured to hold the loop; names the holder of the next block that is seen. */
  held(holder: string, ms: number): void;
  /** Looks now instead of at the next tick. */
  check(): void;
}

/** Sees that the event loop stood still, by a timer that comes late. */
export function watchLoop(options: {
  readonly blockedMs: number;
  /** `holders` are those who were measured; empty when nobody was. */
  readonly onBlocked: (ms: number, holders: readonly string[]) => void;
}): LoopWatch {
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let holders: string[] = [];

  const check = (): void => {
    if (timer === undefined) return;
    const now = performance.now();
    const late = now - last - TICK_MS;
    if (late < options.blockedMs) return;
    last = now;
    const measured = holders;
    holders = [];
    options.onBlocked(late + TICK_MS, measured);
  };

  return {
    start() {
      last = performance.now();
      holders = [];
      timer = setInterval(() => {
        check();
        last = performance.now();
        holders = [];
      }, TICK_MS);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    held(holder, ms) {
      if (ms >= options.blockedMs / 2) holders.push(holder);
    },
    check,
  };
}
