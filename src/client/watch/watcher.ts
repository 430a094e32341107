import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientContext } from '../client-context.ts';
import { followHistory } from './follow-history.ts';
import { LiveText } from './live-text.ts';
import { HistoryProjection } from './project-history.ts';
import type { PlacedRecord } from './project-history.ts';
import type { RecordedPlace } from './recorded.ts';
import { restingState, restKey } from './resting-state.ts';
import { seenBefore } from './seen-before.ts';
import { cursorText, type WatchCursor } from './watch-cursor.ts';
import type { WatchItem } from './watch-item.ts';

export interface Watched {
  readonly context: ClientContext;
  readonly conversationId: string;
  /** What an earlier watch has given already. */
  readonly cursor: WatchCursor;
  /** Give nothing that is recorded already. */
  readonly onlyNew: boolean;
  readonly signal: AbortSignal;
  readonly give: (item: WatchItem) => void;
}

/** A conversation that rests for this long is asked what it waits for. */
const REST_MS = 150;
/** With no worker up, nobody can answer that: it is asked again. */
const ASK_AGAIN_MS = 5_000;

/** Brings together what is recorded, what happens live, and what a conversation at rest waits for. */
export class Watcher {
  readonly #watched: Watched;
  readonly #history: HistoryProjection;
  readonly #live: LiveText;
  readonly #isSeen: (place: RecordedPlace) => boolean;
  #cursor: WatchCursor;
  #isLive = false;
  #rest: AbortController | undefined;
  #lastRest = '';

  constructor(watched: Watched) {
    const { context, conversationId, cursor } = watched;
    this.#watched = watched;
    this.#history = new HistoryProjection(context, conversationId);
    this.#live = new LiveText(cursor.written);
    this.#isSeen = seenBefore(cursor);
    this.#cursor = cursor;
  }

  async run(): Promise<void> {
    const { context, conversationId, signal } = this.#watched;
    try {
      for await (const page of followHistory(context, conversationId, { live: true, signal })) {
        if (page.events.length > 0) this.#rest?.abort();
        for (const place of await this.#history.take(page.run, page.events)) {
          this.#giveRecorded(place);
        }
        if (!page.isNewest) continue;
        if (!this.#isLive) void this.#followLive();
        this.#isLive = true;
        if (page.events.length > 0 && !this.#history.isThinking) void this.#lookAtRest();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#rest?.abort();
    }
  }

  #giveRecorded(item: PlacedRecord): void {
    const { recorded, run, eventId, part, at } = item;
    const isNews = this.#watched.onlyNew ? this.#isLive : !this.#isSeen(item);
    const told = this.#live.takeRecorded(recorded);
    if (!isNews) return;
    this.#cursor = { ...this.#cursor, run, eventId, part, at };
    this.#watched.give({ ...this.#mark(at), kind: 'recorded', recorded: told });
  }

  /** Live events are for eyes: whatever is wrong with their source, what is recorded goes on. */
  async #followLive(): Promise<void> {
    const { context, conversationId, signal } = this.#watched;
    const { offset: from } = this.#cursor;
    if (context.events === undefined) return;
    try {
      const options = { signal, ...(from === undefined ? {} : { from }) };
      for await (const { event, offset, at } of context.events.subscribe(conversationId, options)) {
        const isNews = this.#live.takeLive(event);
        this.#cursor = { ...this.#cursor, offset };
        if (isNews) this.#watched.give({ ...this.#mark(at), kind: 'live', event });
      }
    } catch {
      // As above.
    }
  }

  async #lookAtRest(): Promise<void> {
    const { context, conversationId } = this.#watched;
    this.#rest?.abort();
    const rest = new AbortController();
    this.#rest = rest;
    try {
      for (let pause = REST_MS; ; pause = ASK_AGAIN_MS) {
        await sleep(pause, undefined, { signal: rest.signal });
        const state = await restingState(context, conversationId).catch(
          () => 'unanswered' as const,
        );
        if (rest.signal.aborted) return;
        if (state === 'unanswered') continue;
        if (state === undefined || restKey(state) === this.#lastRest) return;
        this.#lastRest = restKey(state);
        this.#watched.give({ ...this.#mark(new Date().toISOString()), kind: 'waiting', ...state });
        return;
      }
    } catch {
      // Something happened: it does not rest any more.
    }
  }

  #mark(at: string): { readonly cursor: string; readonly at: string } {
    const { written } = this.#live;
    const { written: _, ...cursor } = this.#cursor;
    return { cursor: cursorText(written === undefined ? cursor : { ...cursor, written }), at };
  }
}
