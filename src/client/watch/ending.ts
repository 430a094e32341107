import type { PayloadDecoder } from '../../activities/transcript/payload-decoder.ts';
import { isJsonObject } from '../../core/json.ts';
import type { ConversationResult } from '../../core/status.ts';
import type { HistoryEvent } from './follow-history.ts';
import type { Recorded } from './recorded.ts';

/** An event about the workflow itself: its task failed, or it has ended. */
export interface Ending {
  readonly type: 'ending';
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly recorded: Recorded;
}

type DecodeFirst = (payloads: Parameters<PayloadDecoder>[0]) => Promise<unknown>;

export function isEnding(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowTaskFailedEventAttributes ??
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes,
  );
}

export async function endOf(event: HistoryEvent, decodeFirst: DecodeFirst): Promise<Ending> {
  const { seconds, nanos } = event.eventTime ?? {};
  const ms = Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6);
  const recorded = await meaningOf(event, decodeFirst);
  return { type: 'ending', id: Number(event.eventId), at: new Date(ms).toISOString(), recorded };
}

async function meaningOf(event: HistoryEvent, decodeFirst: DecodeFirst): Promise<Recorded> {
  const taskFailed = event.workflowTaskFailedEventAttributes;
  if (taskFailed) return { type: 'task_failed', message: taskFailed.failure?.message ?? '' };
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) {
    const result = resultIn(await decodeFirst(completed.result?.payloads));
    return { type: 'ended', end: 'completed', ...result };
  }
  const failure = event.workflowExecutionFailedEventAttributes?.failure;
  if (failure) {
    const details = await decodeFirst(failure.applicationFailureInfo?.details?.payloads);
    const type = failure.applicationFailureInfo?.type ?? 'Failed';
    const message = failure.message ?? '';
    return { type: 'ended', end: 'failed', failure: { type, message }, ...resultIn(details) };
  }
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (terminated) {
    const reason = { type: 'Terminated', message: terminated.reason ?? '' };
    return { type: 'ended', end: 'terminated', failure: reason };
  }
  const isTimeout = Boolean(event.workflowExecutionTimedOutEventAttributes);
  return { type: 'ended', end: isTimeout ? 'timed_out' : 'cancelled' };
}

function resultIn(value: unknown): { readonly result?: ConversationResult } {
  const isResult = isJsonObject(value) && typeof value['stopReason'] === 'string';
  return isResult ? { result: value as unknown as ConversationResult } : {};
}
