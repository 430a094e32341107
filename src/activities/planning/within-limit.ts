import { withinTime } from '../within-time.ts';

/** How long an author's code may take to decide about one call. */
export const CODE_LIMIT_MS = 10_000;

/**
 * Runs an author's code, and stops waiting for it after the limit.
 * @throws what it throws, or an error that says that it gave no answer in time
 */
export async function withinLimit<T>(limitMs: number, code: () => T | Promise<T>): Promise<T> {
  return withinTime(limitMs, code, `it gave no answer within ${limitMs} ms`);
}
