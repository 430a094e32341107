import type { Entry, Item, Position } from '../../core/entry.ts';
import type { SegmentReference } from '../../core/segment.ts';
import type { Spec } from '../../core/spec.ts';

/** Which conversation, which run: an activity's own, or one that a person asks for. */
export interface RunLocation {
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId: string;
}

/** A transcript as a worker holds it: every blob of text resolved, every digest checked. */
export interface Transcript {
  readonly entries: readonly Entry[];
  /** SHA-256 (hex) of each entry's recorded form, in order. */
  readonly digests: readonly string[];
  /** SHA-256(previous digest ‖ entry digest), chained; null for an empty transcript. */
  readonly digest: string | null;
}

/** Brings a worker's copy of a conversation up to date (design §3, the history is the transcript). */
export interface TranscriptReader {
  /**
   * The transcript at a position, plus the items that came since. Reads what the cache lacks from
   * the run's history, newest first, and older entries from the segments. A digest that does not
   * match evicts the copy and reads again; only then it throws.
   */
  read(
    location: RunLocation,
    at: {
      readonly position: Position;
      readonly items: readonly Item[];
      readonly segment?: SegmentReference;
    },
  ): Promise<Transcript>;

  /** Takes a result that this worker's own activity is about to return, so that no read is needed. */
  remember(location: RunLocation, activityId: string, entry: Entry, digest: string): void;

  /** Takes a whole transcript after a completion. */
  keep(location: RunLocation, transcript: Transcript): void;

  /** The conversation's spec by digest, from the cache or from the run's first page of history. */
  spec(location: RunLocation, digest: string): Promise<Spec>;

  /** Counts for logs and the bench. */
  readonly statistics: {
    readonly hits: number;
    readonly gaps: number;
    readonly historyPages: number;
    readonly bytes: number;
  };
}
