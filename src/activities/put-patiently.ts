import { setTimeout as sleep } from 'node:timers/promises';
import { withinTime } from './within-time.ts';

/** For all puts of one call together; well below what start-to-close allows beyond the tool's own limit. */
const PATIENCE_MS = 10_000;
/** A store that does not answer is asked again, as one that refuses is. */
const TRY_MS = 3_000;
const FIRST_DELAY_MS = 50;
const BACKOFF = 3;

/** Tries a put until it works; undefined when patience is used up. Never throws. */
export type PatientPut = <T>(put: () => Promise<T>) => Promise<T | undefined>;

/**
 * The tool has run, so its result must not be lost to a passing fault of the store.
 * @param onFailure is told of every try that failed, for the log
 */
export function createPatientPut(
  onFailure: (error: unknown) => void,
  patienceMs: number = PATIENCE_MS,
): PatientPut {
  let deadline: number | undefined;
  return async (put) => {
    deadline ??= performance.now() + patienceMs;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs *= BACKOFF) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return undefined;
      try {
        const limitMs = Math.min(TRY_MS, leftMs);
        const message = `the store did not answer within ${Math.round(limitMs)} ms`;
        return await withinTime(limitMs, put, message);
      } catch (error) {
        onFailure(error);
      }
      await sleep(Math.min(delayMs, Math.max(0, deadline - performance.now())));
    }
  };
}
