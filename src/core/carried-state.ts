import { carriedApprovals } from './carried-approvals.ts';
import type { ConversationState, OpenBatch } from './conversation-state.ts';
import type { Stop } from './message.ts';
import type { SegmentReference } from './segment.ts';

/** Where the transcript stands when a run ends, and what came too late for it. */
export interface HandOverPoint {
  /** The run that ends. */
  readonly run: string;
  readonly segment: SegmentReference;
  /** How many of the waiting items the segment has. */
  readonly sent: number;
  /** A stop that no turn has seen yet. */
  readonly stop?: Stop | undefined;
  /** How many of the waiting messages came before it, where no turn ran. */
  readonly stoppedMessages?: number | undefined;
}

/**
 * The state as the next run begins with it. The transcript up to here is in the segment; of a batch
 * that waits for people, what ran is found there too.
 */
export function carriedState(
  { batch, ...state }: ConversationState,
  { run, segment, sent, stop, stoppedMessages }: HandOverPoint,
): ConversationState {
  const { blob, count, digest } = segment;
  return {
    ...state,
    segment: { blob, count, digest },
    position: { run, count, digest },
    items: state.items.slice(sent),
    approvals: carriedApprovals(state.approvals, openKeys(batch)),
    ...(batch === undefined ? {} : { batch: carriedBatch(batch, blob) }),
    ...(stop === undefined ? {} : { stop }),
    ...(stoppedMessages === undefined ? {} : { stoppedMessages }),
  };
}

/** Keys of the calls that have no result yet. */
export function openKeys(batch: OpenBatch | undefined): ReadonlySet<string> {
  const open = batch?.plan.filter(({ index }) => batch.settled[index] == null) ?? [];
  return new Set(open.map(({ key }) => key));
}

function carriedBatch(batch: OpenBatch, segment: string): OpenBatch {
  return {
    ...batch,
    settled: batch.settled.map((settled) =>
      settled !== null && 'activityId' in settled.item && settled.item.segment === undefined
        ? { ...settled, item: { ...settled.item, segment } }
        : settled,
    ),
  };
}
