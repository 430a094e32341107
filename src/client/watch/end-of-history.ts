import { isJsonObject } from '../../core/json.ts';
import type { ConversationResult } from '../../core/status.ts';
import type { PayloadDecoder } from '../../activities/transcript/payload-decoder.ts';
import type { HistoryEvent } from './follow-history.ts';
import type { Recorded } from './recorded.ts';

/** How the conversation ended, where the event says so. */
export async function endOf(
  event: HistoryEvent,
  decodeFirst: (payloads: Parameters<PayloadDecoder>[0]) => Promise<unknown>,
): Promise<readonly Recorded[]> {
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) {
    const result = resultIn(await decodeFirst(completed.result?.payloads));
    return [{ type: 'ended', end: 'completed', ...result }];
  }
  const failed = event.workflowExecutionFailedEventAttributes;
  if (failed) {
    const { failure } = failed;
    const details = await decodeFirst(failure?.applicationFailureInfo?.details?.payloads);
    const type = failure?.applicationFailureInfo?.type ?? 'Failed';
    return [
      {
        type: 'ended',
        end: 'failed',
        failure: { type, message: failure?.message ?? '' },
        ...resultIn(details),
      },
    ];
  }
  if (event.workflowExecutionCanceledEventAttributes) return [{ type: 'ended', end: 'cancelled' }];
  if (event.workflowExecutionTimedOutEventAttributes) return [{ type: 'ended', end: 'timed_out' }];
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (terminated) {
    const failure = { type: 'Terminated', message: terminated.reason ?? '' };
    return [{ type: 'ended', end: 'terminated', failure }];
  }
  return [];
}

function resultIn(value: unknown): { readonly result?: ConversationResult } {
  const isResult = isJsonObject(value) && typeof value['stopReason'] === 'string';
  return isResult ? { result: value as unknown as ConversationResult } : {};
}
