import type { ConnectionLike } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Entry } from '../../core/entry.ts';
import type { Known } from './chain-walk.ts';
import { chainDigest } from './digest.ts';
import { createHistorySource, type HistorySource } from './history-source.ts';
import { measured } from './measured.ts';
import { createPayloadDecoder } from './payload-decoder.ts';
import type { ReadAt } from './read-at.ts';
import { readConversationFrom } from './read-conversation.ts';
import { readGap } from './read-gap.ts';
import { createBlobResolver } from './resolve-blobs.ts';
import { createSegmentLoader } from './segment-loader.ts';
import { createSpecReader } from './spec-reader.ts';
import { type ConversationCopy, createTranscriptCache } from './transcript-cache.ts';
import type { LineEntry } from './transcript-line.ts';
import { TranscriptMismatch } from './transcript-mismatch.ts';
import type { RunLocation, Transcript, TranscriptReader } from './transcript-reader.ts';

/** Temporal's loggers fit. */
export interface TranscriptLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

export interface TranscriptReaderOptions {
  /** Where histories are asked for: the worker's or the client's connection, or pages from elsewhere. */
  readonly history: Pick<ConnectionLike, 'workflowService' | 'withDeadline'> | HistorySource;
  /** The payload codecs of the worker (`client.options.loadedDataConverter.payloadCodecs`). */
  readonly payloadCodecs: readonly PayloadCodec[];
  readonly blobs: BlobStore;
  /** Memory for transcripts, blobs that were shown, and specs. */
  readonly maxBytes: number;
  readonly log: TranscriptLog;
}

/** How the memory is shared out. */
const SHARE = { transcripts: 0.7, blobs: 0.2, specs: 0.1 } as const;

export function createTranscriptReader(options: TranscriptReaderOptions): TranscriptReader {
  const { blobs, log, maxBytes } = options;
  const history =
    'newestFirst' in options.history ? options.history : createHistorySource(options.history);
  const decode = createPayloadDecoder(options.payloadCodecs);
  // 0 would mean no bound: a cache of one byte keeps nothing.
  const share = (part: number) => Math.max(1, Math.floor(maxBytes * part));
  const cache = createTranscriptCache(share(SHARE.transcripts));
  const resolve = createBlobResolver(blobs, share(SHARE.blobs));
  const specs = createSpecReader({
    history,
    decode,
    blobs,
    maxBytes: share(SHARE.specs),
  });
  const reads = new Map<string, Promise<Transcript>>();
  const counts = { hits: 0, gaps: 0, historyPages: 0 };

  async function readWith(
    copy: ConversationCopy,
    location: RunLocation,
    at: ReadAt,
  ): Promise<Transcript> {
    if (hasAll(copy, at)) counts.hits += 1;
    else {
      counts.gaps += 1;
      const segments = createSegmentLoader(blobs, location.workflowId);
      const onPage = () => {
        counts.historyPages += 1;
      };
      const sources = { history, decode, segments, onPage };
      const gap = await readGap(sources, location, at, knownOf(copy));
      if (gap.beginning !== undefined) copy.line.beginAt(gap.beginning);
      copy.line.replaceFrom(gap.from, gap.added);
      for (const [digest, result] of gap.results) copy.results.set(digest, result);
    }
    copy.line.forgetBefore(forgettable(at));
    const transcript = assemble(copy, location, at);
    cache.put(keyOf(location), copy);
    return transcript;
  }

  async function read(location: RunLocation, at: ReadAt): Promise<Transcript> {
    const key = keyOf(location);
    // What was summarised is shown again: the workflow was reset to an earlier point.
    if (cache.get(key).line.beginning.from > forgettable(at)) cache.evict(key);
    try {
      return await readWith(cache.get(key), location, at);
    } catch (error) {
      if (!(error instanceof TranscriptMismatch)) throw error;
      log.warn('A transcript does not match; it is read again from history', {
        ...location,
        found: error.found,
      });
      cache.evict(key);
      return await readWith(cache.get(key), location, at);
    }
  }

  return {
    read(location, at) {
      const key = readKeyOf(location, at);
      const running = reads.get(key) ?? read(location, at).finally(() => reads.delete(key));
      reads.set(key, running);
      return running;
    },

    resolveBlobs: (location, entries) => resolve(location.workflowId, entries),

    remember(location, activityId, entry, digest) {
      const line = measured(entry);
      if (line.digest !== digest) {
        log.warn('A result is not remembered: its digest is of something else', {
          ...location,
          activityId,
        });
        return;
      }
      const copy = cache.get(keyOf(location));
      forgetOtherSteps(copy, entry);
      copy.results.set(digest, line);
      cache.put(keyOf(location), copy);
    },

    keep(location, transcript) {
      const key = keyOf(location);
      const copy = cache.get(key);
      if (copy.line.count < transcript.beginning.from) copy.line.beginAt(transcript.beginning);
      const from = commonLength(copy, transcript);
      const added = transcript.entries.slice(from).map(measured);
      let digest = copy.line.digestAt(from) ?? null;
      for (const entry of added) digest = chainDigest(digest, entry.digest);
      if (digest !== transcript.digest) {
        log.warn('A transcript is not kept: its digest is of something else', { ...location });
        cache.evict(key);
        return;
      }
      copy.line.replaceFrom(from, added);
      cache.put(key, copy);
    },

    spec: specs.read,

    rememberSpec: specs.remember,

    record: (location, agent) =>
      readConversationFrom({ history, decode, location, agent, status: 'RUNNING', blobs }),

    statistics: {
      get hits() {
        return counts.hits;
      },
      get gaps() {
        return counts.gaps;
      },
      get historyPages() {
        return counts.historyPages;
      },
      get bytes() {
        return cache.bytes;
      },
    },
  };
}

function keyOf({ namespace, workflowId }: RunLocation): string {
  return JSON.stringify([namespace, workflowId]);
}

/** Reads that ask for the same are one: a second one waits for the first. */
function readKeyOf(location: RunLocation, at: ReadAt): string {
  const { position, items, segment, shownFrom } = at;
  return JSON.stringify([location, position.digest, position.count, items, segment, shownFrom]);
}

/** The entries before this number are in a segment, and nothing of them will be shown. */
function forgettable({ segment, shownFrom = 0 }: ReadAt): number {
  return Math.min(shownFrom, segment?.count ?? 0);
}

function hasAll({ line, results }: ConversationCopy, { position, items }: ReadAt): boolean {
  const hasResults = items.every((item) => 'entry' in item || results.has(item.digest));
  return hasResults && line.countAt(position.digest) !== undefined;
}

function knownOf({ line, results }: ConversationCopy): Known {
  return {
    countAt: (digest) => line.countAt(digest),
    digestAt: (count) => line.digestAt(count),
    result: (digest) => results.get(digest),
  };
}

/** The transcript that was asked for, of a copy that has all of it. */
function assemble(copy: ConversationCopy, location: RunLocation, at: ReadAt): Transcript {
  const { position } = at;
  const count = copy.line.countAt(position.digest);
  if (count === undefined || count !== position.count) {
    const found =
      count === undefined ? 'no entry ends with that digest' : `that digest is entry ${count}'s`;
    throw new TranscriptMismatch(location, position, found);
  }
  const { entries, digests } = copy.line.first(count);
  let { digest } = position;
  const used = new Map<string, LineEntry>();
  for (const item of at.items) {
    const line = 'entry' in item ? measured(item.entry) : copy.results.get(item.digest);
    if (line === undefined)
      throw new TranscriptMismatch(location, position, 'a result went away while it was read');
    if (!('entry' in item)) used.set(item.digest, line);
    entries.push(line.entry);
    digests.push(line.digest);
    digest = chainDigest(digest, line.digest);
  }
  // Whatever else was remembered belongs to turns that were given up.
  copy.results.clear();
  for (const [resultDigest, line] of used) copy.results.set(resultDigest, line);
  return { beginning: copy.line.beginning, entries, digests, digest };
}

/** Only one batch is open at a time. A worker that runs tools but no models never reads, only remembers. */
function forgetOtherSteps({ results }: ConversationCopy, { turn, step }: Entry): void {
  for (const [digest, { entry }] of results) {
    if (entry.turn !== turn || entry.step !== step) results.delete(digest);
  }
}

/** How many first entries a copy and a transcript share. */
function commonLength({ line }: ConversationCopy, { digests }: Transcript): number {
  let count = line.beginning.from;
  while (count < line.count && line.entryAt(count)?.digest === digests[count]) count += 1;
  return count;
}
