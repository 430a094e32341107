import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { SegmentInput, SegmentOutput } from '../core/activity-shapes.ts';
import { inputsOf, replaceInput } from '../core/carried-approvals.ts';
import { carriedState, openKeys } from '../core/carried-state.ts';
import type { OpenBatch, Resumed } from '../core/conversation-state.ts';
import { itemsBytes, MAX_ITEMS_BYTES } from '../core/inline-budget.ts';
import type { Json } from '../core/json.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { utf8Bytes } from '../core/slices.ts';
import type { Status } from '../core/status.ts';
import { isBlobReference, previewOf, type Stored } from '../core/stored.ts';
import { absorbMessages, toBlob, tooLarge } from './absorb.ts';
import { keyRenewal } from './key-renewal.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';
import { HANDING_OVER } from './receive-verdict.ts';
import { editEffects } from './validate-edit.ts';
import { refuseEdits, validateNextEdit } from './validate-edits.ts';

/** What is carried inline; larger values go to blobs first, so that the whole stays small. */
const CARRIED_INLINE_BYTES = 2 * 1024;
/** The server takes 2 MiB: a hand-over that would come near waits until less is pending. */
const MAX_CARRIED_BYTES = 1_500_000;
/** Events until a hand-over that was too large, or that failed, is tried again. */
const EVENTS_UNTIL_NEXT_TRY = 200;
/** Edits that are validated in a hand-over; the senders of more are to try again. */
const MAX_EDITS = 100;
/** Rounds in which updates that were just answered get their answer out before the run ends. */
const MAX_ANSWER_ROUNDS = 50;

/** Whether this run's history, or what waits to enter it, has grown enough for a new run. */
export function handOverDue(memory: Memory): boolean {
  const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
  const { bytes, events } = memory.state.spec.settings.handOver;
  if (historyLength < memory.noHandOverBefore) return false;
  return (
    continueAsNewSuggested ||
    historyLength >= events ||
    historySize >= bytes ||
    itemsBytes(memory.state.items) > MAX_ITEMS_BYTES
  );
}

/**
 * Goes on in a new run with an empty history (design §3): the immutable part is written as a
 * segment first; then, in one synchronous stretch, the rest is handed over. Returns only when what
 * waits for people is too large for that, or the entries so far cannot be read: then this run goes on.
 */
export async function handOver(memory: Memory): Promise<void> {
  const { status } = memory;
  memory.handingOver = true;
  memory.show('handing_over');
  takeRenewalAlong(memory);
  await moveLargeToBlobs(memory);
  const sent = memory.state.items.length;
  const segment = await segmentOrNote(memory);
  if (segment === undefined) return goOn(memory, status);
  await settleWhatArrives(memory);
  refuseEdits(memory, HANDING_OVER);
  const { runId } = workflowInfo();
  const { stop, stoppedMessages } = memory;
  const resumed = carriedState(memory.state, { run: runId, segment, sent, stop, stoppedMessages });
  if (utf8Bytes(JSON.stringify(resumed)) > MAX_CARRIED_BYTES) {
    return goOn(memory, status);
  }
  await continueAsNew<(argument: Resumed) => Promise<unknown>>({ resumed });
}

/** What is gone stays gone, but the conversation is not: the audit says why its run goes on. */
async function segmentOrNote(memory: Memory): Promise<SegmentOutput | undefined> {
  try {
    return await writeSegment(memory, looseOf(memory.state.batch));
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    memory.note('hand_over_failed', error.message, new Date().toISOString());
    return undefined;
  }
}

function goOn(memory: Memory, status: Status): void {
  memory.handingOver = false;
  memory.noHandOverBefore = workflowInfo().historyLength + EVENTS_UNTIL_NEXT_TRY;
  memory.show(status);
}

/** The next run has no reset of its own: what this one's added to keys goes with the open batch. */
function takeRenewalAlong(memory: Memory): void {
  const { batch } = memory.state;
  const renewal = keyRenewal(batch);
  if (batch !== undefined && renewal !== undefined) {
    memory.update({ batch: { ...batch, keyRenewal: renewal } });
  }
}

/**
 * Waits until every update has its answer: one that is answered in the task that ends the run can
 * lose it. Gives up after a while of constant updates.
 */
export async function answersAreOut(memory: Memory): Promise<void> {
  for (let round = 0; round < MAX_ANSWER_ROUNDS; round++) {
    await condition(allHandlersFinished);
    if (memory.answeredAt !== workflowInfo().historyLength) return;
    await sleep(1, { summary: 'answers go out before the run ends' });
  }
}

/** Signals and updates go on arriving: they are taken, moved to blobs and answered until a lull. */
async function settleWhatArrives(memory: Memory): Promise<void> {
  let edits = MAX_EDITS;
  for (let answers = 0; ;) {
    await absorbMessages(memory, CARRIED_INLINE_BYTES);
    for (; memory.edits.length > 0 && edits > 0; edits -= 1) {
      await validateNextEdit(memory, editEffects);
    }
    refuseEdits(memory, HANDING_OVER);
    await moveLargeToBlobs(memory);
    // One that waits behind an edit ends when the edit is validated, which is done here.
    await condition(() => allHandlersFinished() || memory.edits.length > 0);
    if (tooLarge(memory, CARRIED_INLINE_BYTES) !== undefined) continue;
    // An update that is answered in the task that ends the run can lose its answer.
    const answersNow = memory.answeredAt === workflowInfo().historyLength;
    if ((memory.edits.length === 0 && !answersNow) || answers >= MAX_ANSWER_ROUNDS) return;
    answers += 1;
    await sleep(1, { summary: 'answers go out before the hand-over' });
  }
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
    store: state.spec.blobStore,
    ...(state.view?.summary === undefined ? {} : { shownFrom: state.view.summary.upTo }),
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
  const { batch } = memory.state;
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
  const { output, lastTurn, running } = memory.state;
  if (output !== undefined) memory.update({ output: await small('output', output) });
  const smallText = async (key: string, text: Stored<string>) => {
    const kept = await small(key, text);
    return typeof kept === 'string' ? kept : asReference(kept);
  };
  if (lastTurn !== undefined) {
    const text = await smallText('lastTurn', lastTurn.text);
    memory.update({ lastTurn: { ...lastTurn, text } });
  }
  if (running?.text !== undefined) {
    const text = await smallText('running', running.text);
    memory.update({ running: { ...running, text } });
  }
}

function asReference(text: Stored<Json>): Stored<string> {
  return isBlobReference(text) ? text : previewOf(JSON.stringify(text));
}
