import { startOf } from '../../activities/transcript/entries-of-events.ts';
import type { Recorded } from './recorded.ts';

/** Finds, in the inputs of activities, the entries that no activity has made. */
export class NewEntries {
  /** The next entry has this number: attempts repeat the input of those before. */
  #next = 0;

  in(activityType: string, input: unknown): readonly Recorded[] {
    const start = startOf(activityType, input);
    if (start === undefined) return [];
    const fresh: Recorded[] = [];
    start.items.forEach((item, index) => {
      const n = start.position.count + index;
      if (n < this.#next) return;
      this.#next = n + 1;
      if ('entry' in item) fresh.push({ type: 'entry', n, entry: item.entry });
    });
    return fresh;
  }
}
