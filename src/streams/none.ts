import type { EventSink } from './event-sink.ts';

/** Keeps nothing and shows nothing: a subscription waits, silent, until its signal aborts. */
export function noEventSink(): EventSink {
  return {
    kind: 'none',
    publish: () => {},
    flush: async () => {},
    subscribe: (_conversationId, options = {}) => silence(options.signal),
    deleteConversation: async () => {},
    failures: 0,
    close: async () => {},
  };
}

async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  if (signal === undefined || signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
