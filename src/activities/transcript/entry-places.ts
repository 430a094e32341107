import type { ModelOutput } from '../../core/activity-shapes.ts';
import { digestOf } from './digest.ts';
import { type DigestedEntry, linkOf, resultOf, startOf } from './entries-of-events.ts';
import type { RecordedEvent } from './recorded-event.ts';
import type { EntryPlace } from './recorded-entry.ts';

/** What the activities of the runs recorded of the transcript. */
export interface EntryPlaces {
  /** By digest. */
  readonly places: ReadonlyMap<string, EntryPlace>;
  /** The newest result that an activity recorded, by the call's key. */
  readonly results: ReadonlyMap<string, DigestedEntry>;
}

type Scheduled = Extract<RecordedEvent, { type: 'activity_scheduled' }>;

/** Where in history each entry is, in events of one run or of several, oldest first. */
export function entryPlacesOf(events: readonly RecordedEvent[]): EntryPlaces {
  const places = new Map<string, EntryPlace>();
  const results = new Map<string, DigestedEntry>();
  const scheduled = new Map<string, Scheduled>();
  for (const event of events) {
    const { run, at } = event;
    if (event.type === 'activity_scheduled') {
      const { activityId, activityType, input } = event;
      scheduled.set(`${run} ${event.id}`, event);
      startOf(activityType, input)?.items.forEach((item, index) => {
        if (!('entry' in item)) return;
        const digest = digestOf(item.entry);
        if (places.has(digest)) return;
        places.set(digest, { place: { run, inputOf: activityId, item: index }, at });
      });
    }
    if (event.type === 'activity_completed') {
      const begun = scheduled.get(`${run} ${event.scheduledId}`);
      if (begun === undefined) continue;
      const activity = { ...begun, output: event.output };
      const place = { run, activityId: begun.activityId };
      const turn = linkOf(activity)?.turn;
      if (turn !== undefined) {
        const { text } = event.output as ModelOutput;
        places.set(turn.digest, { place, at, ...(text === undefined ? {} : { text }) });
      }
      const result = resultOf(activity);
      if (result?.entry.kind === 'result') {
        places.set(result.digest, { place, at });
        results.set(result.entry.key, result);
      }
    }
  }
  return { places, results };
}
