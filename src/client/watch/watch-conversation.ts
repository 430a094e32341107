import type { ClientContext } from '../client-context.ts';
import { ItemQueue } from './item-queue.ts';
import { type Watched, Watcher } from './watcher.ts';
import { cursorOf } from './watch-cursor.ts';
import type { WatchItem, WatchOptions } from './watch-item.ts';

/**
 * A conversation from what is recorded to what happens now, without gap and without anything twice,
 * until it has ended or the signal aborts. Needs no worker, except for `waiting` items.
 * @throws {ConversationNotFound}
 */
export async function* watchConversation(
  context: ClientContext,
  conversationId: string,
  { from, signal }: WatchOptions = {},
): AsyncGenerator<WatchItem> {
  if (signal?.aborted === true) return;
  const items = new ItemQueue<WatchItem>();
  const leaving = new AbortController();
  const leave = () => {
    leaving.abort();
    items.end();
  };
  signal?.addEventListener('abort', leave, { once: true });
  const watched: Watched = {
    context,
    conversationId,
    cursor: from === undefined || from === 'now' ? {} : cursorOf(from),
    onlyNew: from === 'now',
    signal: leaving.signal,
    give: (item) => items.push(item),
  };
  try {
    new Watcher(watched).run().then(
      () => items.end(),
      (error: unknown) => items.fail(error),
    );
    yield* items;
  } finally {
    signal?.removeEventListener('abort', leave);
    leaving.abort();
  }
}
