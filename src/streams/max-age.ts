import { durationMs, type Duration } from '../core/duration.ts';

const DEFAULT_MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** How long a silent conversation keeps its events, in milliseconds. */
export function maxAgeMs(maxAge: Duration | undefined): number {
  if (maxAge === undefined) return DEFAULT_MAX_AGE_MS;
  const milliseconds = durationMs(maxAge);
  if (milliseconds === undefined || milliseconds === 0) {
    throw new Error(
      `expected maxAge to be a duration such as "7 days", got ${JSON.stringify(maxAge)}`,
    );
  }
  return milliseconds;
}
