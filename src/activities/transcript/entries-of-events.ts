import type {
  CallInput,
  CallOutput,
  CompactInput,
  ModelInput,
  ModelOutput,
  SegmentInput,
  SegmentOutput,
} from '../../core/activity-shapes.ts';
import { assistantEntryOf } from '../../core/assistant-entry.ts';
import type { Entry, Item, Position } from '../../core/entry.ts';
import { isJsonObject } from '../../core/json.ts';
import { ACTIVITIES } from '../../core/names.ts';
import { resultEntryOf } from '../../core/result-entry.ts';
import type { SegmentReference } from '../../core/segment.ts';
import type { DecodedActivity } from './recorded-activity.ts';

/** An entry with the digest that history has for it. */
export interface DigestedEntry {
  readonly entry: Entry;
  readonly digest: string;
}

/** How one recorded activity leads from a transcript to a longer one. */
export interface ChainLink {
  readonly activityId: string;
  /** The transcript that it began with. */
  readonly position: Position;
  /** What came between. */
  readonly items: readonly Item[];
  /** The assistant turn that it ended with; a segment ends with its items. */
  readonly turn?: DigestedEntry;
  /** The transcript that it ended with. */
  readonly digest: string | null;
  readonly count: number;
}

/** Where a transcript stands after an activity that only began. */
export type ChainStart = Pick<ChainLink, 'position' | 'items'> & {
  readonly segment?: SegmentReference;
};

export function isLinkType(activityType: string): boolean {
  return activityType === ACTIVITIES.model || activityType === ACTIVITIES.segment;
}

/** The link that a completed activity is; `undefined` when it is none, or its record is not readable. */
export function linkOf(activity: DecodedActivity): ChainLink | undefined {
  const start = startOf(activity.activityType, activity.input);
  if (start === undefined || !isJsonObject(activity.output)) return undefined;
  const { activityId } = activity;
  const { position, items } = start;
  if (activity.activityType === ACTIVITIES.model) {
    const output = activity.output as unknown as ModelOutput;
    const at = turnAndStepOf(activityId);
    if (at === undefined || typeof output.transcriptDigest !== 'string') return undefined;
    const entry = assistantEntryOf(at.turn, at.step, output);
    return {
      activityId,
      position,
      items,
      turn: { entry, digest: output.entryDigest },
      digest: output.transcriptDigest,
      count: output.count,
    };
  }
  if (activity.activityType === ACTIVITIES.segment) {
    const { digest, count } = activity.output as unknown as SegmentOutput;
    if (typeof count !== 'number' || digest === undefined) return undefined;
    return { activityId, position, items, digest, count };
  }
  return undefined;
}

/** Position and items of an activity that was scheduled with a transcript. */
export function startOf(activityType: string, input: unknown): ChainStart | undefined {
  const takesTranscript = isLinkType(activityType) || activityType === ACTIVITIES.compact;
  if (!takesTranscript || !isJsonObject(input)) return undefined;
  const { position, items } = input as unknown as ModelInput | CompactInput | SegmentInput;
  if (!isJsonObject(position) || !Array.isArray(items)) return undefined;
  const segment =
    activityType === ACTIVITIES.segment
      ? (input as unknown as SegmentInput).previous
      : (input as unknown as ModelInput | CompactInput).segment;
  return { position, items, ...(segment ? { segment } : {}) };
}

/** The result entry that a completed activity is; `undefined` when it settled no call. */
export function resultOf(activity: DecodedActivity): DigestedEntry | undefined {
  const call = callInputOf(activity.input);
  const output = callOutputOf(activity);
  if (call === undefined || output === undefined) return undefined;
  try {
    return { entry: resultEntryOf(call, output), digest: output.digest };
  } catch {
    // A key that is none of ours: an activity that someone else scheduled under such an input.
    return undefined;
  }
}

export function callInputOf(input: unknown): CallInput | undefined {
  if (!isJsonObject(input)) return undefined;
  const { key, callId, tool } = input;
  const isCall = typeof key === 'string' && typeof callId === 'string' && typeof tool === 'string';
  return isCall ? (input as unknown as CallInput) : undefined;
}

/** What a tool's activity, or its reconciliation, settled. */
export function callOutputOf(activity: DecodedActivity): CallOutput | undefined {
  const output =
    activity.activityType === ACTIVITIES.reconcile && isJsonObject(activity.output)
      ? activity.output['output']
      : activity.output;
  if (!isJsonObject(output)) return undefined;
  const isOutput = typeof output['outcome'] === 'string' && typeof output['digest'] === 'string';
  return isOutput ? (output as unknown as CallOutput) : undefined;
}

/** Turn and step of `3.2.model`, `3.2.0#2` and their like. */
export function turnAndStepOf(
  activityId: string,
): { readonly turn: number; readonly step: number } | undefined {
  const match = /^(\d+)\.(\d+)\./.exec(activityId);
  return match === null ? undefined : { turn: Number(match[1]), step: Number(match[2]) };
}
