import type { Item } from './entry.ts';
import type { Inbox, QueuedMessage } from './inbox.ts';
import { oncePer } from './once-per.ts';
import { utf8Bytes } from './slices.ts';
import { isBlobReference } from './stored.ts';

/**
 * The server takes 2 MiB per payload, and a workflow that schedules more is stuck for ever. What
 * waits for a completion shares its input, so it is bounded together, not one by one.
 */

/** Of messages and other entries that wait for one completion; more messages go to blobs. */
export const WAITING_INLINE_BYTES = 256 * 1024;

/** Of everything that waits, references included; with more, the run is handed over to a new one. */
export const MAX_ITEMS_BYTES = 512 * 1024;

/**
 * Of a run's history, with what waits to move to the blob store: that enters it once more on its way.
 * The server ends a run at 50 MiB.
 */
export const MAX_HISTORY_BYTES = 45_000_000;

const contentBytes = oncePer(({ content }: QueuedMessage) => utf8Bytes(JSON.stringify(content)));

/** Bytes of JSON of the messages that wait and are not in the blob store. */
export function inboxBytes({ queued }: Inbox): number {
  return queued.reduce(
    (sum, message) => sum + (isBlobReference(message.content) ? 0 : contentBytes(message)),
    0,
  );
}

/** Bytes of JSON of what waits for the next completion. */
export function itemsBytes(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + utf8Bytes(JSON.stringify(item)), 0);
}

/** The first waiting message that must move to the blob store before it can enter an input. */
export function firstTooLarge(
  { queued }: Inbox,
  items: readonly Item[],
  limitBytes: number,
): QueuedMessage | undefined {
  if (queued.every(({ content }) => isBlobReference(content))) return undefined;
  let inline = itemsBytes(items);
  for (const message of queued) {
    if (isBlobReference(message.content)) continue;
    const bytes = contentBytes(message);
    if (bytes > limitBytes || inline + bytes > WAITING_INLINE_BYTES) return message;
    inline += bytes;
  }
  return undefined;
}
