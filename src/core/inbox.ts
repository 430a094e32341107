import type { Content } from './content.ts';
import type { Stored } from './stored.ts';
import type { Who } from './who.ts';

/** A message that waits to enter a turn. */
export interface QueuedMessage {
  readonly id: string;
  readonly content: Stored<Content>;
  readonly by?: Who;
  /** ISO 8601. */
  readonly at: string;
  readonly when: 'queue' | 'steer';
}

/** What was said to a sender whose message id comes again. */
export interface SeenMessage {
  readonly id: string;
  readonly turn: number;
  readonly state: 'started' | 'queued' | 'steered' | 'denied_pending';
}

export interface Inbox {
  readonly queued: readonly QueuedMessage[];
  readonly seen: readonly SeenMessage[];
}

export const EMPTY_INBOX: Inbox = { queued: [], seen: [] };

/** Messages that may wait. */
export const INBOX_CAPACITY = 100;
/** Ids remembered for deduplication, the newest. */
export const SEEN_CAPACITY = 256;

export function seenMessage(inbox: Inbox, id: string): SeenMessage | undefined {
  return inbox.seen.find((seen) => seen.id === id);
}

/** Lets a message wait. `seen`: what its sender is answered, where the message has an id of its sender's. */
export function enqueue(inbox: Inbox, message: QueuedMessage, seen?: SeenMessage): Inbox {
  return {
    queued: [...inbox.queued, message],
    seen: seen === undefined ? inbox.seen : [...inbox.seen, seen].slice(-SEEN_CAPACITY),
  };
}

/**
 * Takes what enters now: everything (or the first so many) at the start of a turn, steering messages
 * at a step's.
 */
export function take(
  inbox: Inbox,
  which: 'all' | 'steer' | number,
): { readonly inbox: Inbox; readonly taken: readonly QueuedMessage[] } {
  const enters = ({ when }: QueuedMessage, index: number) =>
    typeof which === 'number' ? index < which : which === 'all' || when === 'steer';
  return {
    taken: inbox.queued.filter(enters),
    inbox: {
      ...inbox,
      queued: inbox.queued.filter((message, index) => !enters(message, index)),
    },
  };
}

/** Puts a reference in the place of a message's content. */
export function replaceContent(
  inbox: Inbox,
  message: QueuedMessage,
  content: Stored<Content>,
): Inbox {
  const replaced = inbox.queued.map((queued) =>
    queued === message ? { ...queued, content } : queued,
  );
  return { ...inbox, queued: replaced };
}
