import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Duration } from '../core/duration.ts';
import { batchTime, createBatcher, type PendingEvent } from './batcher.ts';
import { segmentOf } from './conversation-segment.ts';
import { eventLine } from './event-line.ts';
import { appendLines, isAbsent, type OpenPart, PART_BYTES } from './event-parts.ts';
import type { EventSink } from './event-sink.ts';
import { maxAgeMs } from './max-age.ts';
import { readEventParts, type PartPosition } from './read-event-parts.ts';
import { sweepOldConversations } from './sweep-old-conversations.ts';

export interface FileEventSinkOptions {
  /** Made when it is not there, readable by its owner only. */
  readonly directory: string;
  /** About what is kept of one conversation, in parts of 1 MiB; the oldest go. Default 8 MiB, least 2. */
  readonly maxBytesPerConversation?: number;
  /** How long the first event of a batch waits for others: 0 to 50, default 50 milliseconds. */
  readonly batchMs?: number;
  /** A conversation without an event for that long loses its events; default 7 days. */
  readonly maxAge?: Duration;
}

const DEFAULT_MAX_BYTES = 8 * PART_BYTES;
const SWEEP_EVERY_MS = 60 * 60 * 1000;
/** Parts that are kept open from one batch to the next, at most so many and about so long. */
const MAX_OPEN = 128;
const CLOSE_EVERY_MS = 1_000;
const OFFSET = /^(\d{1,15})\.(\d{1,15})$/;

/**
 * Events in JSON lines: `<directory>/<conversation>/<part>.jsonl`. Several processes of one host
 * may publish and subscribe; watchers read the files and cost a writer nothing. Not synced: what
 * was published right before a power cut may be gone.
 */
export function fileEventSink(options: FileEventSinkOptions): EventSink {
  const root = resolve(options.directory);
  const keep = Math.max(
    2,
    Math.ceil((options.maxBytesPerConversation ?? DEFAULT_MAX_BYTES) / PART_BYTES),
  );
  const ageMs = maxAgeMs(options.maxAge);
  const directoryOf = (conversationId: string): string => join(root, segmentOf(conversationId));
  const writer = randomUUID().slice(0, 8);
  /** By conversation, the longest unused first; what is being written is not among them. */
  const openParts = new Map<string, OpenPart>();
  let closing: NodeJS.Timeout | undefined;
  let written = 0;
  let sweptAt = 0;
  const batcher = createBatcher({ batchMs: batchTime(options.batchMs), write });

  async function write(conversationId: string, events: readonly PendingEvent[]): Promise<number> {
    const lines = events.map((event) => eventLine(`${writer}.${++written}`, event));
    const known = openParts.get(conversationId);
    openParts.delete(conversationId);
    openParts.set(
      conversationId,
      await appendLines(directoryOf(conversationId), lines, { known, keep }),
    );
    closing ??= setTimeout(() => void closeParts(0).catch(() => {}), CLOSE_EVERY_MS).unref();
    await closeParts(MAX_OPEN);
    if (Date.now() - sweptAt < SWEEP_EVERY_MS) return 0;
    sweptAt = Date.now();
    // Housekeeping: what it cannot remove now is found again in an hour.
    void sweepOldConversations(root, ageMs).catch(() => {});
    return 0;
  }

  async function closeParts(keepOpen: number): Promise<void> {
    if (keepOpen === 0) {
      clearTimeout(closing);
      closing = undefined;
    }
    for (const [id, { file }] of openParts) {
      if (openParts.size <= keepOpen) break;
      openParts.delete(id);
      await file.close();
    }
  }

  async function close(): Promise<void> {
    await batcher.close();
    await closeParts(0);
  }

  async function deleteConversation(conversationId: string): Promise<void> {
    await batcher.forget(conversationId);
    const open = openParts.get(conversationId);
    openParts.delete(conversationId);
    await open?.file.close();
    const doomed = join(root, `.deleted-${randomUUID()}`);
    try {
      await rename(directoryOf(conversationId), doomed);
    } catch (error) {
      if (isAbsent(error)) return;
      throw error;
    }
    await rm(doomed, { recursive: true, force: true, maxRetries: 3 });
  }

  return {
    kind: 'file',
    publish: batcher.publish,
    flush: batcher.flush,
    subscribe: (conversationId, { from, signal } = {}) =>
      readEventParts(
        directoryOf(conversationId),
        from === undefined ? undefined : positionOf(from),
        signal ?? new AbortController().signal,
      ),
    deleteConversation,
    get failures() {
      return batcher.failures;
    },
    close,
  };
}

function positionOf(offset: string): PartPosition {
  const match = OFFSET.exec(offset);
  if (match === null) {
    throw new Error(
      `expected an offset of the event sink "file", such as "1.2048", got ${JSON.stringify(offset)}: subscribe without one to begin at the oldest kept event`,
    );
  }
  return { part: Number(match[1]), byte: Number(match[2]) };
}
