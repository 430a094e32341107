const FIRST_WAIT_MS = 500;
/** Each try is several events: what is away for days is asked less often, or history would be full. */
const PATIENT_TRIES = 40;
const PATIENT_WAIT_MS = 5 * 60_000;

/** How long to wait after the n-th failed try of something that may be back. */
export function waitBeforeTry(n: number, longestMs: number): number {
  if (n > PATIENT_TRIES) return PATIENT_WAIT_MS;
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(n - 1, 10), longestMs);
}
