import type { Redis, RedisOptions } from 'ioredis';
import type { Duration } from '../core/duration.ts';
import { loadOptionalPackage } from '../core/optional-package.ts';
import { batchTime, createBatcher, type PendingEvent } from './batcher.ts';
import { segmentOf } from './conversation-segment.ts';
import type { EventSink } from './event-sink.ts';
import { maxAgeMs } from './max-age.ts';
import { readRedisStream } from './read-redis-stream.ts';
import { createReadiness } from './redis-readiness.ts';

export interface RedisEventSinkOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://…` for TLS. */
  readonly url: string;
  /** Put before every key; default `perdure:`. */
  readonly prefix?: string;
  /** About what is kept of one conversation; the oldest go. Default 20,000. */
  readonly maxEventsPerConversation?: number;
  /** How long the first event of a batch waits for others: 0 to 50, default 50 milliseconds. */
  readonly batchMs?: number;
  /** A conversation without an event for that long loses its events; default 7 days. */
  readonly maxAge?: Duration;
}

const DEFAULT_MAX_EVENTS = 20_000;
const COMMAND_TIMEOUT_MS = 5000;
const MAX_RECONNECT_DELAY_MS = 1000;
/** A watcher's blocking read answers every 5 seconds at least: silence beyond this is a dead line. */
const READER_SOCKET_TIMEOUT_MS = 15_000;

/**
 * Events in Redis Streams, one per conversation under `<prefix>events:<conversation>`, for many
 * hosts. While Redis is away, events wait in bounded memory, the oldest are dropped, and the
 * connection is tried again. Each subscription holds a connection of its own. Needs the package
 * `ioredis`.
 */
export function redisEventSink(options: RedisEventSinkOptions): EventSink {
  const prefix = options.prefix ?? 'perdure:';
  const maxEvents = options.maxEventsPerConversation ?? DEFAULT_MAX_EVENTS;
  const ageMs = maxAgeMs(options.maxAge);
  const keyOf = (conversationId: string): string => `${prefix}events:${segmentOf(conversationId)}`;
  const writer = createReadiness(() =>
    connect(options.url, {
      // What was in flight when the connection broke may have arrived: sent again, it could be
      // seen twice. It is given up instead.
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      commandTimeout: COMMAND_TIMEOUT_MS,
    }),
  );
  const batcher = createBatcher({
    batchMs: batchTime(options.batchMs),
    write,
    isAway: writer.isAway,
    giveUp: writer.close,
  });

  async function write(conversationId: string, events: readonly PendingEvent[]): Promise<number> {
    const redis = await writer.ready();
    const key = keyOf(conversationId);
    const pipeline = redis.pipeline();
    for (const { at, json } of events) {
      pipeline.xadd(key, 'MAXLEN', '~', maxEvents, '*', 'at', at, 'event', json);
    }
    pipeline.pexpire(key, ageMs);
    const replies = (await pipeline.exec()) ?? [];
    const written = replies.slice(0, events.length).filter(([error]) => error === null);
    return events.length - written.length;
  }

  return {
    kind: 'redis',
    publish: batcher.publish,
    flush: batcher.flush,
    subscribe: (conversationId, { from, signal } = {}) =>
      readRedisStream(
        () => connect(options.url, readerOptions),
        keyOf(conversationId),
        from,
        signal ?? new AbortController().signal,
      ),
    deleteConversation: async (conversationId) => {
      await batcher.forget(conversationId);
      const redis = await writer.ready(COMMAND_TIMEOUT_MS);
      await redis.unlink(keyOf(conversationId));
    },
    get failures() {
      return batcher.failures;
    },
    close: batcher.close,
  };
}

type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** A read can be sent again: it waits for Redis to come back, however long. */
const readerOptions: ConnectionOptions = {
  maxRetriesPerRequest: null,
  socketTimeout: READER_SOCKET_TIMEOUT_MS,
};

async function connect(url: string, options: ConnectionOptions): Promise<Redis> {
  const { Redis } = await loadOptionalPackage(
    'ioredis',
    'the event sink "redis"',
    () => import('ioredis'),
  );
  const settings: ConnectionOptions = {
    connectionName: 'perdure',
    connectTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_DELAY_MS),
    ...options,
  };
  const redis = new Redis(url, settings);
  // Commands fail by themselves; without a listener each lost connection would be printed.
  redis.on('error', () => {});
  return redis;
}
