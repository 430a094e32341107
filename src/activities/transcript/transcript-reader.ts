import type { Entry } from '../../core/entry.ts';
import type { Spec } from '../../core/spec.ts';
import type { ConversationRecord } from './conversation-record.ts';
import type { Measure } from './digest.ts';
import type { ReadAt } from './read-at.ts';
import type { LineBeginning } from './transcript-line.ts';

/** Which conversation, which run: an activity's own, or one that a person asks for. */
export interface RunLocation {
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId: string;
}

/** A transcript as a worker holds it: entries as they are recorded, every digest checked. */
export interface Transcript {
  /** Entries before this beginning are empty notes, all but the first user message. */
  readonly beginning: LineBeginning;
  readonly entries: readonly Entry[];
  /** SHA-256 (hex) of each entry's recorded form, in order. */
  readonly digests: readonly string[];
  /** SHA-256(previous digest ‖ entry digest), chained; null for an empty transcript. */
  readonly digest: string | null;
}

/** Content that the store no longer has. */
export interface MissingBlob {
  readonly sha256: string;
  readonly reason: 'absent' | 'damaged';
  readonly entry: Pick<Entry, 'kind' | 'turn' | 'step'>;
}

export interface ResolvedEntries {
  readonly entries: readonly Entry[];
  readonly missing: readonly MissingBlob[];
}

/** Brings a worker's copy of a conversation up to date (design §3, the history is the transcript). */
export interface TranscriptReader {
  /**
   * The transcript at a position, plus the items that came since. Reads what the cache lacks from
   * the run's history, newest first, and older entries from the segments. A digest that does not
   * match evicts the copy and reads again; only then it throws.
   * @throws {TranscriptMismatch} when what is recorded does not lead to the position.
   */
  read(location: RunLocation, at: ReadAt): Promise<Transcript>;

  /**
   * Entries with their content in the place of references, for what is about to be shown: pass only
   * those. A result that has a `shownAs` keeps the reference of its whole content. What is missing
   * is reported and stays a reference (a missing image or document becomes a text that names it):
   * the conversation goes on. Throws only when the store is away.
   */
  resolveBlobs(location: RunLocation, entries: readonly Entry[]): Promise<ResolvedEntries>;

  /** Takes a result that this worker's own activity is about to return, so that no read is needed. */
  remember(location: RunLocation, activityId: string, entry: Entry, digest: string): void;

  /** Takes a whole transcript after a completion. */
  keep(location: RunLocation, transcript: Transcript): void;

  /**
   * The conversation's spec by digest, from the cache or from the run's first page of history.
   * @throws {SpecNotFound} when the run names no such spec.
   * @throws {ForeignBlobStore} when the conversation began with another store than this worker's.
   * @throws {BlobMissing} when the spec was kept in the store and is gone.
   */
  spec(location: RunLocation, digest: string): Promise<Spec>;

  /** Takes the spec that this worker's own activity is about to return, so that no read is needed. */
  rememberSpec(location: RunLocation, spec: Spec, measured: Measure): void;

  /** All that is recorded of a conversation, up to the run that asks. Read from history, not kept. */
  record(location: RunLocation, agent: string): Promise<ConversationRecord>;

  /** Counts for logs and the bench. */
  readonly statistics: {
    /** Reads that the cache answered. */
    readonly hits: number;
    /** Reads that had to go to history. */
    readonly gaps: number;
    readonly historyPages: number;
    /** Bytes of memory that the copies take, estimated. */
    readonly bytes: number;
  };
}
