/** One piece of work that never throws. */
export type Task = () => Promise<void>;

/** Runs what it is given at once, as long as fewer than `limit` run; the rest waits, in order. */
export function createLanes(limit: number): (task: Task) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= Math.max(limit, 1)) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Calls of a batch run at once only when every one of them is safe beside others (design §3). */
export function lanesOf(
  calls: readonly { readonly parallelSafe: boolean }[],
  maxParallel: number,
): number {
  return calls.every(({ parallelSafe }) => parallelSafe) ? Math.max(maxParallel, 1) : 1;
}
