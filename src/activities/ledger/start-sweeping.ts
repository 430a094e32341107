import { sweepLostAttempts, type SweepOptions } from './sweep-lost-attempts.ts';

export interface Sweeping {
  /** Waits for the sweep that is running. */
  stop(): Promise<void>;
}

/**
 * Sweeps again and again, first after one interval: a worker calls `sweepLostAttempts` itself
 * before it starts. Does not hold the process open.
 */
export function startSweeping({
  intervalMs = 2_000,
  ...options
}: SweepOptions & { readonly intervalMs?: number }): Sweeping {
  const alreadyLogged = options.alreadyLogged ?? new Set<string>();
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    timer = setTimeout(() => {
      running = sweepLostAttempts({ ...options, alreadyLogged }).then(() => {
        if (!stopped) schedule();
      });
    }, intervalMs).unref();
  }

  schedule();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
