import type { BlobInput, BlobOutput } from '../core/activity-shapes.ts';
import { replaceContent } from '../core/inbox.ts';
import type { Json } from '../core/json.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { slicesOf, utf8Bytes } from '../core/slices.ts';
import { type BlobReference, INLINE_LIMIT_BYTES, isBlobReference } from '../core/stored.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';

/** What waits in one completion's input besides; more goes to blobs although each message is small. */
const WAITING_INLINE_BYTES = 256 * 1024;

/** Moves a value to the blob store in slices that fit a payload each. */
export async function toBlob(memory: Memory, value: Json): Promise<BlobReference> {
  const slices = slicesOf(JSON.stringify(value));
  const after: string[] = [];
  for (const [index, slice] of slices.entries()) {
    const last = index === slices.length - 1;
    const number = memory.state.counters.blob + 1;
    memory.update({ counters: { ...memory.state.counters, blob: number } });
    const input: BlobInput = { slice, after, last };
    const { reference } = await ownActivity<BlobOutput>(memory, {
      type: ACTIVITIES.blob,
      activityId: activityIds.blob(number),
      input,
      summary: last
        ? 'keep what is too large for history'
        : `slice ${index + 1} of ${slices.length}`,
    });
    if (last) return reference;
    after.push(reference.blob);
  }
  throw new Error('a text has at least one slice');
}

/**
 * Replaces large messages by references before they enter a turn or a hand-over: what was taken
 * from a sender, up to the server's own limit, must not stick the run.
 */
export async function absorbMessages(
  memory: Memory,
  limitBytes = INLINE_LIMIT_BYTES,
): Promise<void> {
  let inline = 0;
  for (const { id } of memory.state.inbox.queued) {
    const message = memory.state.inbox.queued.find((queued) => queued.id === id);
    if (message === undefined || isBlobReference(message.content)) continue;
    const bytes = utf8Bytes(JSON.stringify(message.content));
    if (bytes <= limitBytes && inline + bytes <= WAITING_INLINE_BYTES) {
      inline += bytes;
      continue;
    }
    const content = await toBlob(memory, message.content as Json);
    memory.update({ inbox: replaceContent(memory.state.inbox, id, content) });
  }
}
