import type { Payload } from '@temporalio/common';
import { isJsonObject } from '../../core/json.ts';
import type { HistoryEvent } from './history-source.ts';
import type { PayloadDecoder } from './payload-decoder.ts';
import type { RunLocation } from './transcript-reader.ts';

export interface RecordedFailure {
  readonly type: string;
  readonly message: string;
}

/** What an event of a conversation's history says. Others (workflow tasks, timers) are left out. */
export type Occurrence =
  | { readonly type: 'run_started'; readonly agent: string; readonly input: unknown }
  | {
      readonly type: 'activity_scheduled';
      readonly activityId: string;
      readonly activityType: string;
      readonly input: unknown;
    }
  | { readonly type: 'activity_started'; readonly scheduledId: number; readonly worker: string }
  | { readonly type: 'activity_completed'; readonly scheduledId: number; readonly output: unknown }
  | {
      readonly type: 'activity_ended';
      readonly scheduledId: number;
      readonly end: 'failed' | 'timed_out' | 'cancelled';
      readonly failure: RecordedFailure;
    }
  | { readonly type: 'signal'; readonly name: string; readonly input: unknown }
  | { readonly type: 'update_accepted'; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'update_completed';
      readonly acceptedId: number;
      readonly refusal?: RecordedFailure & { readonly details: unknown };
    };

export type RecordedEvent = Occurrence & {
  readonly id: number;
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
};

/** Decodes a run's pages, oldest first. Never throws: what cannot be read has a marked value. */
export function createEventDecoder(
  decode: PayloadDecoder,
  run: RunLocation,
): (events: readonly HistoryEvent[]) => Promise<readonly RecordedEvent[]> {
  const decoder = new EventDecoder(decode, run);
  return (events) => decoder.page(events);
}

type Payloads = { readonly payloads?: readonly Payload[] | null } | null | undefined;
type Failure = NonNullable<HistoryEvent['activityTaskFailedEventAttributes']>['failure'];

class EventDecoder {
  readonly #decode: PayloadDecoder;
  readonly #run: RunLocation;
  readonly #activityIds = new Map<number, string>();

  constructor(decode: PayloadDecoder, run: RunLocation) {
    this.#decode = decode;
    this.#run = run;
  }

  async page(events: readonly HistoryEvent[]): Promise<readonly RecordedEvent[]> {
    for (const { eventId, activityTaskScheduledEventAttributes: scheduled } of events) {
      if (scheduled) this.#activityIds.set(Number(eventId), scheduled.activityId ?? '');
    }
    const occurrences = await Promise.all(events.map((event) => this.#occurrence(event)));
    return events.flatMap((event, index) => {
      const occurrence = occurrences[index];
      const place = { id: Number(event.eventId), run: this.#run.runId, at: timeOf(event) };
      return occurrence === undefined ? [] : [{ ...place, ...occurrence }];
    });
  }

  async #occurrence(event: HistoryEvent): Promise<Occurrence | undefined> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      const input = await this.#first(started.input);
      return { type: 'run_started', agent: started.workflowType?.name ?? '', input };
    }
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled) {
      const input = await this.#first(signaled.input);
      return { type: 'signal', name: signaled.signalName ?? '', input };
    }
    return (await this.#activity(event)) ?? (await this.#update(event));
  }

  async #activity(event: HistoryEvent): Promise<Occurrence | undefined> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const activityId = scheduled.activityId ?? '';
      const activityType = scheduled.activityType?.name ?? '';
      const input = await this.#first(scheduled.input, activityId);
      return { type: 'activity_scheduled', activityId, activityType, input };
    }
    const started = event.activityTaskStartedEventAttributes;
    if (started) {
      const scheduledId = Number(started.scheduledEventId);
      return { type: 'activity_started', scheduledId, worker: started.identity ?? '' };
    }
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const scheduledId = Number(completed.scheduledEventId);
      const output = await this.#first(completed.result, this.#activityIds.get(scheduledId));
      return { type: 'activity_completed', scheduledId, output };
    }
    return this.#endedActivity(event);
  }

  async #endedActivity(event: HistoryEvent): Promise<Occurrence | undefined> {
    const failed = event.activityTaskFailedEventAttributes;
    const timedOut = event.activityTaskTimedOutEventAttributes;
    const cancelled = event.activityTaskCanceledEventAttributes;
    const ended = failed ?? timedOut ?? cancelled;
    if (!ended) return undefined;
    const scheduledId = Number(ended.scheduledEventId);
    const activityId = this.#activityIds.get(scheduledId);
    const failure = failed?.failure ?? timedOut?.failure;
    return {
      type: 'activity_ended',
      scheduledId,
      end: failed ? 'failed' : timedOut ? 'timed_out' : 'cancelled',
      failure: cancelled
        ? { type: 'Cancelled', message: 'the attempt was cancelled' }
        : await this.#failure(failure, activityId),
    };
  }

  async #update(event: HistoryEvent): Promise<Occurrence | undefined> {
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accepted) {
      const { name, args } = accepted.acceptedRequest?.input ?? {};
      return { type: 'update_accepted', name: name ?? '', input: await this.#first(args) };
    }
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (!completed) return undefined;
    const acceptedId = Number(completed.acceptedEventId);
    const failure = completed.outcome?.failure;
    if (!failure) return { type: 'update_completed', acceptedId };
    const details = await this.#first(failure.applicationFailureInfo?.details);
    const refusal = { ...(await this.#failure(failure)), details };
    return { type: 'update_completed', acceptedId, refusal };
  }

  /** Type and message. A converter may have hidden the message among the encoded attributes. */
  async #failure(failure: Failure, activityId?: string): Promise<RecordedFailure> {
    const encoded = failure?.encodedAttributes;
    const attributes = encoded ? await this.#first({ payloads: [encoded] }, activityId) : undefined;
    const hidden = isJsonObject(attributes) ? attributes['message'] : undefined;
    return {
      type:
        failure?.applicationFailureInfo?.type ||
        (failure?.timeoutFailureInfo ? 'Timeout' : 'Failed'),
      message: typeof hidden === 'string' ? hidden : (failure?.message ?? ''),
    };
  }

  /** Activities have their own payloads: a codec may go by whose they are. */
  async #first(payloads: Payloads, activityId?: string): Promise<unknown> {
    const { namespace, workflowId } = this.#run;
    const where = { namespace, workflowId };
    const [value] = await this.#decode(
      payloads?.payloads,
      activityId === undefined
        ? { type: 'workflow', ...where }
        : { type: 'activity', ...where, activityId, isLocal: false },
    );
    return value;
  }
}

function timeOf({ eventTime }: HistoryEvent): string {
  const ms = Number(eventTime?.seconds ?? 0) * 1000 + Math.floor((eventTime?.nanos ?? 0) / 1e6);
  return new Date(ms).toISOString();
}
