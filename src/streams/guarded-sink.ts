import type { EventSink } from './event-sink.ts';

/**
 * The same sink, except that its `publish` cannot throw: one of a user's own may break the contract,
 * and watchers must not cost a run anything.
 * @param onThrow is told the first time
 */
export function guardedSink(sink: EventSink, onThrow: (error: unknown) => void): EventSink {
  let thrown = 0;
  return {
    kind: sink.kind,
    publish(conversationId, events) {
      try {
        sink.publish(conversationId, events);
      } catch (error) {
        thrown += 1;
        if (thrown === 1) onThrow(error);
      }
    },
    flush: (conversationId) => sink.flush(conversationId),
    subscribe: (conversationId, options) => sink.subscribe(conversationId, options),
    deleteConversation: (conversationId) => sink.deleteConversation(conversationId),
    get failures() {
      return sink.failures + thrown;
    },
    close: () => sink.close(),
  };
}
