import type { RecordedPlace } from './recorded.ts';
import type { WatchCursor } from './watch-cursor.ts';

/** Tells, of a conversation's recorded items in order, which ones come after a cursor. */
export function seenBefore(cursor: WatchCursor): (place: RecordedPlace) => boolean {
  const { run, eventId = 0, part = 0, at = '' } = cursor;
  let metRun = false;
  return (place) => {
    if (run === undefined) return false;
    if (place.run !== run) return metRun ? false : place.at <= at;
    metRun = true;
    return place.eventId < eventId || (place.eventId === eventId && place.part <= part);
  };
}
