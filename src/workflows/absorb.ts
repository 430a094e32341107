import type { BlobInput, BlobOutput } from '../core/activity-shapes.ts';
import { type QueuedMessage, replaceContent, take } from '../core/inbox.ts';
import { firstTooLarge } from '../core/inline-budget.ts';
import type { Json } from '../core/json.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { slicesOf } from '../core/slices.ts';
import type { BlobReference } from '../core/stored.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';

/** Moves a value to the blob store in slices that fit a payload each. */
export async function toBlob(memory: Memory, value: Json): Promise<BlobReference> {
  const slices = slicesOf(JSON.stringify(value));
  const after: string[] = [];
  for (const [index, slice] of slices.entries()) {
    const last = index === slices.length - 1;
    const number = memory.state.counters.blob + 1;
    memory.update({ counters: { ...memory.state.counters, blob: number } });
    const input: BlobInput = { slice, after, last, store: memory.state.spec.blobStore };
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
 * Replaces large messages by references until none is left: what was taken from a sender, up to the
 * server's own limit, must not stick the run. What arrives meanwhile is looked at too; the inbox is
 * capped, so this ends.
 */
export async function absorbMessages(
  memory: Memory,
  limitBytes = memory.state.spec.settings.inlineLimitBytes,
): Promise<void> {
  for (;;) {
    const message = tooLarge(memory, limitBytes);
    if (message === undefined) return;
    const content = await toBlob(memory, message.content as Json);
    memory.update({ inbox: replaceContent(memory.state.inbox, message, content) });
  }
}

/** Takes the messages that enter now, all of a size that an input can hold. */
export async function takeMessages(
  memory: Memory,
  which: 'all' | 'steer',
): Promise<readonly QueuedMessage[]> {
  await absorbMessages(memory);
  const { inbox, taken } = take(memory.state.inbox, which);
  memory.update({ inbox });
  return taken;
}

/** Takes the messages that a new turn begins with: all, or those that were stopped before it began. */
export async function takeTurn(memory: Memory): Promise<readonly QueuedMessage[]> {
  await absorbMessages(memory);
  const { inbox, taken } = take(memory.state.inbox, memory.stoppedMessages ?? 'all');
  memory.stoppedMessages = undefined;
  memory.update({ inbox });
  return taken;
}

/** Whether messages wait that a hand-over's argument cannot hold. */
export function tooLarge(memory: Memory, limitBytes: number): QueuedMessage | undefined {
  return firstTooLarge(memory.state.inbox, memory.state.items, limitBytes);
}
