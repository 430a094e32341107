import { setTimeout as sleep } from 'node:timers/promises';

/** How long an author's code may take to decide about one call. */
export const CODE_LIMIT_MS = 10_000;

/**
 * Runs an author's code, and stops waiting for it after the limit.
 * @throws what it throws, or an error that says that it gave no answer in time
 */
export async function withinLimit<T>(limitMs: number, code: () => T | Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`it gave no answer within ${limitMs} ms`);
  });
  // Its rejection counts only while the code is raced against it; an aborted timer's is nobody's.
  late.catch(() => undefined);
  try {
    return await Promise.race([Promise.resolve().then(code), late]);
  } finally {
    timer.abort();
  }
}
