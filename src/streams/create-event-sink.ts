import type { EventSink } from './event-sink.ts';
import { fileEventSink, type FileEventSinkOptions } from './file.ts';
import { noEventSink } from './none.ts';
import { redisEventSink, type RedisEventSinkOptions } from './redis.ts';

/** An event sink as configuration names it. */
export type EventSinkSettings =
  | ({ readonly kind: 'file' } & FileEventSinkOptions)
  | ({ readonly kind: 'redis' } & RedisEventSinkOptions)
  | { readonly kind: 'none' };

/** Makes an event sink. The package that its kind needs is loaded when it is first used. */
export function createEventSink(settings: EventSinkSettings): EventSink {
  switch (settings.kind) {
    case 'file':
      return fileEventSink(settings);
    case 'redis':
      return redisEventSink(settings);
    case 'none':
      return noEventSink();
    default:
      return unknownKind(settings);
  }
}

/** Configuration may come from plain JavaScript. */
function unknownKind(settings: never): never {
  const { kind }: { readonly kind?: unknown } = settings;
  throw new Error(
    `expected an event sink of kind "file", "redis" or "none", got ${JSON.stringify(kind)}`,
  );
}
