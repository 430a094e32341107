import type { Item, Position } from '../../core/entry.ts';
import type { SegmentReference } from '../../core/segment.ts';

/** Which transcript: a position, and what came since. */
export interface ReadAt {
  readonly position: Position;
  readonly items: readonly Item[];
  /** The newest segment; older entries are found by it. */
  readonly segment?: SegmentReference;
  /**
   * Number of the first entry that can be shown, beside the first user message. What comes before
   * it, and is in a segment, is neither read nor kept. Default 0: all of it.
   */
  readonly shownFrom?: number;
}
