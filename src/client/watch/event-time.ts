import type { HistoryEvent } from './follow-history.ts';

/** When an event was recorded, as ISO 8601 with milliseconds. */
export function eventTime({ eventTime: time }: HistoryEvent): string {
  const ms = Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
  return new Date(ms).toISOString();
}
