import type { StreamEvent } from '../core/event.ts';

/** An event and its place in the conversation's stream. */
export interface PublishedEvent {
  /** Grows with every event of the conversation; opaque otherwise. Pass it back to resume after it. */
  readonly offset: string;
  /** ISO 8601. */
  readonly at: string;
  readonly event: StreamEvent;
}

/**
 * Live events of conversations. Losing some must never harm a run: `publish` does not throw and
 * does not wait for watchers.
 */
export interface EventSink {
  /** `file`, `redis`, `none`. */
  readonly kind: string;

  /** Takes events in order. Batches on its own (at most 50 ms). Never throws; failures are counted. */
  publish(conversationId: string, events: readonly StreamEvent[]): void;

  /** Resolves when everything published so far is visible to subscribers, or was given up. */
  flush(conversationId?: string): Promise<void>;

  /**
   * Events after an offset (from the oldest kept when absent), then live ones, until the signal
   * aborts. Nothing twice, no gap within what is kept.
   */
  subscribe(
    conversationId: string,
    options?: { readonly from?: string; readonly signal?: AbortSignal },
  ): AsyncIterable<PublishedEvent>;

  /** Removes a conversation's events. */
  deleteConversation(conversationId: string): Promise<void>;

  /** Events that could not be published since the start of the process. */
  readonly failures: number;

  close(): Promise<void>;
}
