import type { StreamEvent } from '../core/event.ts';

/** An event as it is written: its time, and its JSON. */
export interface PendingEvent {
  readonly at: string;
  readonly json: string;
}

export interface BatcherOptions {
  /** How long the first event of a batch waits for others, milliseconds. */
  readonly batchMs: number;
  /**
   * Makes events visible, in order; one call at a time per conversation. Returns how many of them
   * were given up; a rejection gives up all.
   */
  readonly write: (conversationId: string, events: readonly PendingEvent[]) => Promise<number>;
  /** Whether the medium is known to be away now: nobody waits for it then. */
  readonly isAway?: () => boolean;
  /** Called at the end: writes that wait for their medium must settle now. */
  readonly giveUp?: () => void;
  /** What may wait in memory while the medium is slow or away; the oldest are dropped. Default 8 MiB. */
  readonly maxBufferedBytes?: number;
}

export interface Batcher {
  publish(conversationId: string, events: readonly StreamEvent[]): void;
  /** Waits at most a second, and not at all for a medium that is away: no run is held up. */
  flush(conversationId?: string): Promise<void>;
  /** Drops what waits for a conversation and lets the batch that is being written end. */
  forget(conversationId: string): Promise<void>;
  /** Events that were dropped, refused or given up. */
  readonly failures: number;
  /** Flushes, then gives up what is left. */
  close(): Promise<void>;
}

/** An event as JSON larger than this is refused: watchers read whole events. */
const MAX_EVENT_BYTES = 1024 * 1024;
const MAX_BATCH_BYTES = 512 * 1024;
const DEFAULT_MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const PATIENCE_MS = 1000;
const DEFAULT_BATCH_MS = 50;
const MAX_BATCH_MS = 50;

interface Queue {
  events: PendingEvent[];
  /** Events taken, and events that were written or given up: what `flush` waits for. */
  taken: number;
  settled: number;
  timer?: NodeJS.Timeout;
  writing?: Promise<void>;
}

/** Buffers events per conversation and writes them in batches; memory is bounded, nothing throws. */
export function createBatcher(options: BatcherOptions): Batcher {
  const maxBufferedBytes = options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES;
  const queues = new Map<string, Queue>();
  let bufferedBytes = 0;
  let failures = 0;
  let closed = false;

  function publish(conversationId: string, events: readonly StreamEvent[]): void {
    const at = new Date().toISOString();
    for (const event of events) {
      const json = closed ? undefined : serialized(event);
      if (json === undefined) failures++;
      else take(conversationId, { at, json });
    }
  }

  function take(conversationId: string, event: PendingEvent): void {
    const queue = queues.get(conversationId) ?? { events: [], taken: 0, settled: 0 };
    queues.set(conversationId, queue);
    queue.events.push(event);
    queue.taken++;
    bufferedBytes += event.json.length;
    while (bufferedBytes > maxBufferedBytes && queue.events.length > 0) dropOldest(queue);
    if (queue.writing === undefined) {
      queue.timer ??= setTimeout(() => startWriting(conversationId, queue), options.batchMs);
    }
  }

  function dropOldest(queue: Queue): void {
    const [oldest] = queue.events.splice(0, 1);
    if (oldest === undefined) return;
    bufferedBytes -= oldest.json.length;
    queue.settled++;
    failures++;
  }

  function startWriting(conversationId: string, queue: Queue): void {
    clearTimeout(queue.timer);
    delete queue.timer;
    queue.writing ??= writeAll(conversationId, queue);
  }

  async function writeAll(conversationId: string, queue: Queue): Promise<void> {
    while (queue.events.length > 0) {
      const batch = takeBatch(queue);
      try {
        failures += await options.write(conversationId, batch);
      } catch {
        failures += batch.length;
      }
      queue.settled += batch.length;
      for (const { json } of batch) bufferedBytes -= json.length;
    }
    delete queue.writing;
    if (queues.get(conversationId) === queue) queues.delete(conversationId);
  }

  async function flushQueue(conversationId: string, queue: Queue): Promise<void> {
    const goal = queue.taken;
    while (queue.settled < goal) {
      startWriting(conversationId, queue);
      await queue.writing;
    }
  }

  async function flush(conversationId?: string): Promise<void> {
    if (options.isAway?.() === true) return;
    const chosen = [...queues].filter(
      ([id]) => conversationId === undefined || id === conversationId,
    );
    await patiently(Promise.all(chosen.map(([id, queue]) => flushQueue(id, queue))));
  }

  function drop(conversationId: string): Queue | undefined {
    const queue = queues.get(conversationId);
    if (queue === undefined) return undefined;
    clearTimeout(queue.timer);
    queues.delete(conversationId);
    while (queue.events.length > 0) dropOldest(queue);
    return queue;
  }

  async function close(): Promise<void> {
    closed = true;
    await flush();
    const dropped = [...queues.keys()].map(drop);
    options.giveUp?.();
    await patiently(Promise.all(dropped.flatMap((queue) => queue?.writing ?? [])));
  }

  return {
    publish,
    flush,
    forget: (conversationId) => patiently(drop(conversationId)?.writing),
    close,
    get failures() {
      return failures;
    },
  };
}

/** @throws when it is no number from 0 to 50 */
export function batchTime(batchMs: number = DEFAULT_BATCH_MS): number {
  if (batchMs >= 0 && batchMs <= MAX_BATCH_MS) return batchMs;
  throw new Error(`expected batchMs to be 0 to ${MAX_BATCH_MS} milliseconds, got ${batchMs}`);
}

function takeBatch(queue: Queue): PendingEvent[] {
  let bytes = 0;
  const beyond = queue.events.findIndex((event, index) => {
    bytes += event.json.length;
    return index > 0 && bytes > MAX_BATCH_BYTES;
  });
  return queue.events.splice(0, beyond === -1 ? queue.events.length : beyond);
}

async function patiently(work: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work, end]);
  clearTimeout(timer);
}

function serialized(event: StreamEvent): string | undefined {
  try {
    const json: string | undefined = JSON.stringify(event);
    return json === undefined || json.length > MAX_EVENT_BYTES ? undefined : json;
  } catch {
    return undefined;
  }
}
