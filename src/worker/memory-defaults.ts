import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MiB = 1024 ** 2;

/** Bytes that a worker's process may use. */
export interface UsableMemory {
  /** Of the machine, or what a container may use of it. */
  readonly memoryBytes: number;
  /** Of one V8 heap: the main thread and the workflows' thread have one each. */
  readonly heapBytes: number;
}

/** What a worker keeps and does at once when nobody says otherwise. */
export interface MemoryDefaults {
  readonly transcriptCacheBytes: number;
  readonly maxCachedWorkflows: number;
  readonly maxConcurrentActivities: number;
}

/** An open conversation in the workflow cache, with what waits to be collected (docs/performance.md, "Memory"). */
const CONVERSATION_BYTES = MiB;
/** A completion of a long transcript, or a tool that reads a large file. */
const ACTIVITY_BYTES = 10 * MiB;

/**
 * In a container of 2 GiB: 128 MiB of transcripts, 512 conversations, 204 activities. What is left is
 * for the process itself (about 250 MB), and for what the activities hold.
 */
export function memoryDefaults({ memoryBytes, heapBytes }: UsableMemory): MemoryDefaults {
  return {
    transcriptCacheBytes: within(16 * MiB, 512 * MiB, Math.min(memoryBytes / 16, heapBytes / 8)),
    maxCachedWorkflows: within(
      50,
      5_000,
      Math.min(memoryBytes / 4, heapBytes / 2) / CONVERSATION_BYTES,
    ),
    maxConcurrentActivities: within(20, 500, memoryBytes / ACTIVITY_BYTES),
  };
}

/** What the limits of the process, of its container and of the machine leave it. */
export function usableMemory(): UsableMemory {
  return {
    memoryBytes: smallerLimit(process.constrainedMemory(), totalmem()),
    heapBytes: getHeapStatistics().heap_size_limit,
  };
}

/** Without a limit Node says nothing, 0, or a number that no machine has. */
export function smallerLimit(constrained: number | undefined, total: number): number {
  return constrained !== undefined && constrained > 0 ? Math.min(constrained, total) : total;
}

function within(least: number, most: number, value: number): number {
  return Math.floor(Math.min(most, Math.max(least, value)));
}
