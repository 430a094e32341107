import type { Item, Position } from '../../core/entry.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { linkOf, startOf } from './entries-of-events.ts';
import type { ReadAt } from './read-at.ts';
import type { RecordedEvent } from './recorded-event.ts';
import type { RunBeginning } from './run-beginning.ts';

/**
 * How far a run's transcript goes: to the end of the newest activity that was given one, or to what
 * that activity was given, if it has not completed; in a run that has none yet, to what the run was
 * handed.
 */
export function endOfRun(
  run: string,
  events: readonly RecordedEvent[],
  beginning: RunBeginning,
): ReadAt {
  const segment = beginning.segment === undefined ? {} : { segment: beginning.segment };
  for (const begun of events.toReversed()) {
    if (begun.type !== 'activity_scheduled') continue;
    const start = startOf(begun.activityType, begun.input);
    if (start === undefined) continue;
    const completed = events.find(
      (event) => event.type === 'activity_completed' && event.scheduledId === begun.id,
    );
    const output = completed?.type === 'activity_completed' ? completed.output : undefined;
    const link = linkOf({ ...begun, output });
    if (link === undefined) return { ...segment, position: start.position, items: start.items };
    return { ...segment, position: { run, count: link.count, digest: link.digest }, items: [] };
  }
  const position: Position = {
    run,
    count: beginning.segment?.count ?? 0,
    digest: beginning.segment?.digest ?? null,
  };
  return { ...segment, position, items: handedOver(beginning.resumed) };
}

/** Entries that no activity was given yet, and the settled calls of an open batch. */
function handedOver(resumed: JsonObject | undefined): readonly Item[] {
  const items = resumed?.['items'];
  const batch = resumed?.['batch'];
  const settled = isJsonObject(batch) ? batch['settled'] : undefined;
  return [
    ...(Array.isArray(items) ? items : []),
    ...(Array.isArray(settled) ? settled.map((call) => call?.item) : []),
  ].filter((item) => isJsonObject(item)) as unknown as Item[];
}
