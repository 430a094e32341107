import type { Entry, ResultEntry, UserEntry } from './entry.ts';

/** A run's entries as one blob; each segment names the one before (design §3, continue-as-new). */
export interface Segment {
  /** SHA-256 (hex) of the previous segment's blob. */
  readonly previous: string | null;
  /** Number of the first entry here, counted from the conversation's first. */
  readonly from: number;
  /** The transcript's digest up to there. */
  readonly start?: string | null;
  /** The first user message, where an earlier segment has it: it is shown whatever is summarised. */
  readonly first?: { readonly n: number; readonly entry: UserEntry; readonly digest: string };
  readonly entries: readonly Entry[];
  /** SHA-256 of each entry, in order: what the transcript's digest is chained from. */
  readonly digests: readonly string[];
  /** Results of a batch that was not complete at the hand-over, by activity id. */
  readonly loose: { readonly [activityId: string]: ResultEntry };
}

export interface SegmentReference {
  readonly blob: string;
  /** Entries up to and including this segment. */
  readonly count: number;
  /** The transcript's digest up to there. */
  readonly digest: string | null;
}
