import type { Redis } from 'ioredis';
import { isEvent } from './event-line.ts';
import type { PublishedEvent } from './event-sink.ts';

const OFFSET = /^\d{1,20}-\d{1,20}$/;
const BLOCK_MS = 5000;
/** Events are at most 1 MiB each: this bounds one answer. */
const COUNT = 100;

/** Entries of a stream after an id, then new ones, by blocking reads on a connection of its own. */
export async function* readRedisStream(
  connect: () => Promise<Redis>,
  key: string,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<PublishedEvent> {
  let last = from ?? '0-0';
  if (!OFFSET.test(last)) {
    throw new Error(
      `expected an offset of the event sink "redis", such as "1700000000000-0", got ${JSON.stringify(from)}: subscribe without one to begin at the oldest kept event`,
    );
  }
  if (signal.aborted) return;
  const redis = await connect();
  const disconnect = (): void => redis.disconnect();
  signal.addEventListener('abort', disconnect);
  try {
    while (!signal.aborted) {
      const reply = await redis.xread('COUNT', COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', key, last);
      for (const [offset, fields] of reply?.[0]?.[1] ?? []) {
        last = offset;
        const parsed = parseFields(fields);
        if (parsed !== undefined) yield { offset, ...parsed };
        if (signal.aborted) return;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', disconnect);
    redis.disconnect();
  }
}

/** Fields and their values in turn; `undefined` for an entry that is not ours. */
function parseFields(fields: readonly string[]): Omit<PublishedEvent, 'offset'> | undefined {
  const at = valueOf(fields, 'at');
  const json = valueOf(fields, 'event');
  if (at === undefined || json === undefined) return undefined;
  try {
    const event: unknown = JSON.parse(json);
    return isEvent(event) ? { at, event } : undefined;
  } catch {
    return undefined;
  }
}

function valueOf(fields: readonly string[], name: string): string | undefined {
  const index = fields.findIndex((field, position) => position % 2 === 0 && field === name);
  return index === -1 ? undefined : fields[index + 1];
}
