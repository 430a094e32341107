import type { EventSink } from './event-sink.ts';
import { fileEventSink, type FileEventSinkOptions } from './file.ts';
import { noEventSink } from './none.ts';

/** An event sink as configuration names it. */
export type EventSinkSettings =
  ({ readonly kind: 'file' } & FileEventSinkOptions) | { readonly kind: 'none' };

/** Makes an event sink. A package that only its kind needs is loaded when it is first used. */
export function createEventSink(settings: EventSinkSettings): EventSink {
  switch (settings.kind) {
    case 'file':
      return fileEventSink(settings);
    case 'none':
      return noEventSink();
    default:
      return unknownKind(settings);
  }
}

function unknownKind(settings: never): never {
  throw new Error(
    `expected an event sink of kind "file" or "none", got ${JSON.stringify(settings)}`,
  );
}
