import {
  allHandlersFinished,
  condition,
  continueAsNew,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { SegmentInput, SegmentOutput } from '../core/activity-shapes.ts';
import { carriedApprovals, inputsOf, replaceInput } from '../core/carried-approvals.ts';
import type { ConversationState, OpenBatch } from '../core/conversation-state.ts';
import type { Json } from '../core/json.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { utf8Bytes } from '../core/slices.ts';
import { isBlobReference, previewOf, type Stored } from '../core/stored.ts';
import { absorbMessages, toBlob } from './absorb.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';
import { HANDING_OVER } from './receive-verdict.ts';
import { editEffects } from './validate-edit.ts';
import { refuseEdits, validateEdits } from './validate-edits.ts';

/** Events that a run has at least: a smaller budget would hand over without end. */
const MIN_EVENTS = 30;
/** What is carried inline; larger values go to blobs first, so that the whole stays small. */
const CARRIED_INLINE_BYTES = 2 * 1024;
/** Rounds in which updates that were just answered get their answer out before the run ends. */
const MAX_ANSWER_ROUNDS = 50;

/** Whether this run's history has grown enough for a new run. */
export function handOverDue(memory: Memory): boolean {
  const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
  const { bytes, events } = memory.state.spec.settings.handOver;
  if (historyLength < MIN_EVENTS) return false;
  return continueAsNewSuggested || historyLength >= events || historySize >= bytes;
}

/**
 * Goes on in a new run with an empty history (design §3): the immutable part is written as a
 * segment first; then, in one synchronous stretch, the rest is handed over. Never returns.
 */
export async function handOver(memory: Memory): Promise<never> {
  memory.handingOver = true;
  memory.show('handing_over');
  await moveLargeToBlobs(memory);
  const sent = memory.state.items.length;
  const batch = memory.state.batch;
  const loose = looseOf(batch);
  const segment = await writeSegment(memory, loose);
  for (let round = 0; round < MAX_ANSWER_ROUNDS; round++) {
    await absorbMessages(memory, CARRIED_INLINE_BYTES);
    await validateEdits(memory, editEffects);
    await moveLargeToBlobs(memory);
    await condition(allHandlersFinished);
    // An update that is answered in the task that ends the run can lose its answer.
    if (memory.edits.length === 0 && memory.answeredAt !== workflowInfo().historyLength) break;
    await sleep(1, { summary: 'answers go out before the hand-over' });
  }
  refuseEdits(memory, HANDING_OVER);
  const { state } = memory;
  const next: ConversationState = {
    ...state,
    segment: { blob: segment.blob, count: segment.count, digest: segment.digest },
    position: { run: workflowInfo().runId, count: segment.count, digest: segment.digest },
    items: state.items.slice(sent),
    ...(batch === undefined ? {} : { batch: carriedBatch(batch, segment.blob) }),
    approvals: carriedApprovals(state.approvals, openKeys(batch)),
  };
  return continueAsNew<(argument: { resumed: ConversationState }) => Promise<unknown>>({
    resumed: next,
  });
}

/** Writes everything recorded so far as a blob that is linked to the ones before. */
export async function writeSegment(
  memory: Memory,
  loose: SegmentInput['loose'] = [],
): Promise<SegmentOutput> {
  const { state } = memory;
  const number = state.counters.segment + 1;
  memory.update({ counters: { ...state.counters, segment: number } });
  const input: SegmentInput = {
    position: state.position,
    items: state.items,
    loose,
    previous: state.segment,
  };
  return ownActivity<SegmentOutput>(memory, {
    type: ACTIVITIES.segment,
    activityId: activityIds.segment(number),
    input,
    summary: 'keep the transcript of this run',
  });
}

function looseOf(batch: OpenBatch | undefined): SegmentInput['loose'] {
  return (batch?.settled ?? []).flatMap((settled) =>
    settled !== null && 'activityId' in settled.item && settled.item.segment === undefined
      ? [{ activityId: settled.item.activityId, digest: settled.item.digest }]
      : [],
  );
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

function openKeys(batch: OpenBatch | undefined): ReadonlySet<string> {
  return new Set((batch?.plan ?? []).map(({ key }) => key));
}

async function moveLargeToBlobs(memory: Memory): Promise<void> {
  const moved = new Map<string, Stored<Json>>();
  const small = async (key: string, value: Stored<Json>): Promise<Stored<Json>> => {
    if (isBlobReference(value) || utf8Bytes(JSON.stringify(value)) <= CARRIED_INLINE_BYTES)
      return value;
    const known = moved.get(key);
    if (known !== undefined) return known;
    const reference = await toBlob(memory, value);
    moved.set(key, reference);
    return reference;
  };
  const { batch, lastTurn } = memory.state;
  if (batch !== undefined) {
    const plan = [];
    for (const call of batch.plan) plan.push({ ...call, input: await small(call.key, call.input) });
    memory.update({ batch: { ...batch, plan } });
  }
  for (const { key, digest, input } of inputsOf(memory.state.approvals, openKeys(batch))) {
    const stored = await small(`${key} ${digest}`, input);
    // Verdicts go on arriving meanwhile: only the arguments are exchanged.
    memory.update({
      approvals: replaceInput(memory.state.approvals, { key, digest, input: stored }),
    });
  }
  if (lastTurn !== undefined) {
    const text = await small('lastTurn', lastTurn.text);
    memory.update({
      lastTurn: { ...lastTurn, text: typeof text === 'string' ? text : asReference(text) },
    });
  }
}

function asReference(text: Stored<Json>): Stored<string> {
  return isBlobReference(text) ? text : previewOf(JSON.stringify(text));
}
