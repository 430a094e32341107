import type { StreamEvent } from '../core/event.ts';
import type { PendingEvent } from './batcher.ts';

/** One event as a line of a file. `id` makes each line of a file unlike all others. */
export function eventLine(id: string, { at, json }: PendingEvent): string {
  return `{"id":${JSON.stringify(id)},"at":"${at}","event":${json}}`;
}

/** `undefined` for an empty line, a torn one, and anything else that is no event. */
export function parseEventLine(
  line: string,
): { readonly at: string; readonly event: StreamEvent } | undefined {
  if (line === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('at' in value) || typeof value.at !== 'string') return undefined;
  if (!('event' in value) || !isEvent(value.event)) return undefined;
  return { at: value.at, event: value.event };
}

/** Written by a sink of ours, or not at all: the type tells. */
export function isEvent(value: unknown): value is StreamEvent {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}
