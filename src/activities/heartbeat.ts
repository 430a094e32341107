import type { Context } from '@temporalio/activity';

/** A stop is heard with the answer to a heartbeat: one a second makes it heard within about a second. */
const LONGEST_INTERVAL_MS = 1_000;
const SHORTEST_INTERVAL_MS = 50;

/**
 * Heartbeats by a timer until it is stopped, the first after one interval: most attempts end before,
 * and each heartbeat is a call to the server and a write there. The details are what the server
 * shows of a running attempt, and what is left of one that went silent.
 * @returns what stops it
 */
export function startHeartbeat(context: Context, details: () => unknown): () => void {
  const timeoutMs = context.info.heartbeatTimeoutMs;
  const intervalMs =
    timeoutMs === undefined || timeoutMs === 0
      ? LONGEST_INTERVAL_MS
      : Math.max(SHORTEST_INTERVAL_MS, Math.min(LONGEST_INTERVAL_MS, timeoutMs / 4));
  const timer = setInterval(() => context.heartbeat(details()), intervalMs);
  return () => clearInterval(timer);
}
