import { BlobMissing, type BlobStore } from '../../blobs/blob-store.ts';
import type { Segment, SegmentReference } from '../../core/segment.ts';
import { chainDigest } from './digest.ts';
import { measured } from './measured.ts';
import type { LineBeginning, LineEntry } from './transcript-line.ts';

/** A segment as it was written, and what it takes in memory. */
interface LoadedSegment {
  readonly segment: Segment;
  readonly charactersPerEntry: number;
}

/** What a reader already has of the transcript. */
export interface KnownLine {
  readonly digestAt: (count: number) => string | null | undefined;
}

/** Where known entries end, and those that come after. */
export interface Continuation {
  readonly from: number;
  readonly added: readonly LineEntry[];
  /** Set when older entries were not read: what a line begins with that goes on here. */
  readonly beginning?: LineBeginning;
}

/**
 * Reads segments of one conversation. What the store does not have is `undefined`, and is asked for
 * once; a store that cannot be reached throws.
 */
export interface SegmentLoader {
  /**
   * The transcript up to a segment; `undefined` when one of its segments is missing. Segments that
   * end before `shownFrom` are not read.
   */
  transcript(
    reference: SegmentReference,
    known: KnownLine,
    shownFrom: number,
  ): Promise<Continuation | undefined>;
  /** The result of a batch that was open at the hand-over. */
  loose(blob: string, activityId: string): Promise<LineEntry | undefined>;
  /** Segments that the store did not have. */
  readonly missing: ReadonlyMap<string, BlobMissing>;
}

export function createSegmentLoader(
  blobs: BlobStore | undefined,
  workflowId: string,
): SegmentLoader {
  const missing = new Map<string, BlobMissing>();
  const loads = new Map<string, Promise<LoadedSegment | undefined>>();

  async function loadOnce(blob: string): Promise<LoadedSegment | undefined> {
    try {
      if (blobs === undefined) throw new BlobMissing(workflowId, blob, 'absent');
      const bytes = await blobs.get(workflowId, blob);
      const segment = JSON.parse(new TextDecoder().decode(bytes)) as Segment;
      const entries = segment.entries.length + Object.keys(segment.loose).length;
      return { segment, charactersPerEntry: Math.ceil(bytes.length / Math.max(entries, 1)) };
    } catch (error) {
      if (!(error instanceof BlobMissing)) throw error;
      missing.set(blob, error);
      return undefined;
    }
  }

  function load(blob: string): Promise<LoadedSegment | undefined> {
    const running = loads.get(blob) ?? loadOnce(blob);
    loads.set(blob, running);
    return running;
  }

  return {
    missing,
    async transcript(reference, known, shownFrom) {
      let added: LineEntry[] = [];
      for (let blob: string | null = reference.blob; blob !== null;) {
        const loaded: LoadedSegment | undefined = await load(blob);
        if (loaded === undefined) return undefined;
        added = [...lineEntriesOf(loaded), ...added];
        const { from, previous } = loaded.segment;
        if (chained(known.digestAt(from), added) === reference.digest) return { from, added };
        const beginning = from > 0 && from <= shownFrom ? beginningOf(loaded.segment) : undefined;
        if (chained(beginning?.digest, added) === reference.digest) {
          return { from, added, ...(beginning === undefined ? {} : { beginning }) };
        }
        blob = previous;
      }
      return undefined;
    },
    async loose(blob, activityId) {
      const entry = (await load(blob))?.segment.loose[activityId];
      return entry === undefined ? undefined : measured(entry);
    },
  };
}

/** A segment's digests are trusted: its blob is checked as a whole, and its writer checked each. */
function lineEntriesOf({ segment, charactersPerEntry }: LoadedSegment): LineEntry[] {
  return segment.entries.map((entry, index) => ({
    entry,
    digest: segment.digests[index] ?? '',
    characters: charactersPerEntry,
  }));
}

function beginningOf({ from, start, first }: Segment): LineBeginning | undefined {
  if (start === undefined) return undefined;
  const pinned = first && { n: first.n, line: measured(first.entry) };
  return { from, digest: start, ...(pinned === undefined ? {} : { first: pinned }) };
}

function chained(
  start: string | null | undefined,
  added: readonly LineEntry[],
): string | null | undefined {
  if (start === undefined) return undefined;
  return added.reduce<string | null>((digest, entry) => chainDigest(digest, entry.digest), start);
}
