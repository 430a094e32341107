import { LRUCache } from 'lru-cache';
import { type LineEntry, TranscriptLine } from './transcript-line.ts';

/** One conversation as this worker has it. */
export interface ConversationCopy {
  readonly line: TranscriptLine;
  /** Results that are not in the line yet, by digest. */
  readonly results: Map<string, LineEntry>;
}

/** Least recently used conversations give way when all together take too much memory. */
export interface TranscriptCache {
  /** The copy, or an empty one that is not kept before it is put. */
  get(key: string): ConversationCopy;
  /** Keeps a copy under its present size. */
  put(key: string, copy: ConversationCopy): void;
  evict(key: string): void;
  /** Estimated. */
  readonly bytes: number;
}

/** Bytes per character of JSON: half of what is kept is text, some of it with two bytes a character. */
const BYTES_PER_CHARACTER = 2;
/** Bytes of an entry beside its content: objects, digests, places in lists. */
const BYTES_PER_ENTRY = 500;

export function createTranscriptCache(maxBytes: number): TranscriptCache {
  const copies = new LRUCache<string, ConversationCopy>({ maxSize: maxBytes });
  return {
    get: (key) => copies.get(key) ?? { line: new TranscriptLine(), results: new Map() },
    put: (key, copy) => {
      // Setting a value that is there already would keep its old size: a copy grows.
      copies.delete(key);
      copies.set(key, copy, { size: sizeOf(copy) });
    },
    evict: (key) => {
      copies.delete(key);
    },
    get bytes() {
      return copies.calculatedSize;
    },
  };
}

function sizeOf({ line, results }: ConversationCopy): number {
  let characters = line.characters;
  for (const result of results.values()) characters += result.characters;
  return characters * BYTES_PER_CHARACTER + (line.held + results.size + 1) * BYTES_PER_ENTRY;
}
