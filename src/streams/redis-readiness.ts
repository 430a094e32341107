import type { Redis } from 'ioredis';
import { messageOf } from '../core/describe-error.ts';

/** A connection that is made when it is first needed, and waited for while it is away. */
export interface RedisReadiness {
  /** @throws when it is closed meanwhile, or not there after the patience (default: waits for ever) */
  ready(patienceMs?: number): Promise<Redis>;
  /** Whether the connection was lost, or could not be made, and is not back. */
  isAway(): boolean;
  close(): void;
}

export function createReadiness(connect: () => Promise<Redis>): RedisReadiness {
  const closing = new AbortController();
  let connecting: Promise<Redis> | undefined;
  let connection: Redis | undefined;
  let away = false;

  async function open(): Promise<Redis> {
    const redis = await connect();
    redis.on('close', () => (away = true));
    redis.on('ready', () => (away = false));
    connection = redis;
    return redis;
  }

  return {
    isAway: () => away || (connection !== undefined && isEnding(connection)),
    ready: async (patienceMs) => {
      connecting ??= open().catch(warnAndThrow);
      const redis = await connecting;
      if (redis.status !== 'ready' || isEnding(redis)) {
        await becomesReady(redis, closing.signal, patienceMs);
      }
      return redis;
    },
    close: () => {
      closing.abort(new Error('the event sink was closed'));
      void connecting?.then(
        (redis) => redis.disconnect(),
        () => {},
      );
    },
  };
}

/**
 * Whether the other side has ended the connection and the client has not said so yet: its status is
 * still "ready", and it would refuse at once what could be sent after the reconnect.
 */
function isEnding(redis: Redis): boolean {
  return redis.status === 'ready' && !redis.stream.writable;
}

/** Whoever publishes never sees an error: a package that is not installed must be seen all the same. */
function warnAndThrow(error: unknown): never {
  process.emitWarning(messageOf(error));
  throw error;
}

function becomesReady(redis: Redis, closing: AbortSignal, patienceMs?: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer =
      patienceMs === undefined
        ? undefined
        : setTimeout(() => end(new Error(`Redis did not answer in ${patienceMs} ms`)), patienceMs);
    const onReady = (): void => end();
    const onClosing = (): void => end(closing.reason);
    const end = (error?: unknown): void => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      closing.removeEventListener('abort', onClosing);
      if (error === undefined) resolve();
      else reject(error);
    };
    redis.on('ready', onReady);
    closing.addEventListener('abort', onClosing);
    if (closing.aborted) onClosing();
  });
}
