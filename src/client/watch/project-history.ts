import type { Entry, Item } from '../../core/entry.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { ACTIVITIES } from '../../core/names.ts';
import {
  createPayloadDecoder,
  type PayloadDecoder,
} from '../../activities/transcript/payload-decoder.ts';
import type { ClientContext } from '../client-context.ts';
import { endedActivity, type OpenActivity } from './ended-activity.ts';
import { endOf } from './end-of-history.ts';
import type { HistoryEvent } from './follow-history.ts';
import { eventTime } from './event-time.ts';
import type { Recorded, RecordedPlace } from './recorded.ts';
import { ReceivedUpdates } from './received-updates.ts';

/**
 * Reads a conversation's events, oldest first, as what they mean. Keeps what it needs from one page
 * to the next.
 */
export class HistoryProjection {
  readonly #decode: PayloadDecoder;
  readonly #namespace: string;
  readonly #workflowId: string;
  readonly #updates: ReceivedUpdates;
  #open = new Map<string, OpenActivity>();
  #run = '';
  /** Entries given so far: the next has this number. Attempts repeat their input. */
  #entries = 0;

  constructor(context: ClientContext, workflowId: string) {
    this.#decode = createPayloadDecoder(context.client.options.loadedDataConverter.payloadCodecs);
    this.#namespace = context.namespace;
    this.#workflowId = workflowId;
    this.#updates = new ReceivedUpdates();
  }

  /** Whether an activity is running or waits for a worker. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  async take(
    run: string,
    events: readonly HistoryEvent[],
  ): Promise<readonly (RecordedPlace & { readonly recorded: Recorded })[]> {
    if (run !== this.#run) {
      this.#run = run;
      this.#open = new Map();
    }
    const found: (RecordedPlace & { recorded: Recorded })[] = [];
    for (const event of events) {
      const place = { run, eventId: Number(event.eventId), at: eventTime(event) };
      for (const recorded of await this.#meaning(event)) found.push({ ...place, recorded });
    }
    return found;
  }

  async #meaning(event: HistoryEvent): Promise<readonly Recorded[]> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const activityId = scheduled.activityId ?? '';
      const input = await this.#decodeFirst(scheduled.input?.payloads, activityId);
      const activityType = scheduled.activityType?.name ?? '';
      const at = Date.parse(eventTime(event));
      this.#open.set(String(event.eventId), { activityId, activityType, input, at });
      return this.#newEntries(activityType, input);
    }
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (ended) {
      const id = String(ended.scheduledEventId);
      const activity = this.#open.get(id);
      if (activity === undefined) return [];
      this.#open.delete(id);
      const payloads = event.activityTaskCompletedEventAttributes?.result?.payloads;
      const output = await this.#decodeFirst(payloads, activity.activityId);
      const ms = Date.parse(eventTime(event)) - activity.at;
      return endedActivity(activity, event, output, ms);
    }
    return this.#fromOutside(event);
  }

  async #fromOutside(event: HistoryEvent): Promise<readonly Recorded[]> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      const continued = Boolean(started.continuedExecutionRunId);
      const agent = started.workflowType?.name ?? '';
      if (continued) return [{ type: 'started', agent, continued }];
      const start = (await this.#decodeFirst(started.input?.payloads)) as Json;
      return [{ type: 'started', agent, continued, start }];
    }
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled) {
      const payload = ((await this.#decodeFirst(signaled.input?.payloads)) ?? null) as Json;
      return [{ type: 'received', name: signaled.signalName ?? '', via: 'signal', payload }];
    }
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accepted) {
      const input = accepted.acceptedRequest?.input;
      const payload = ((await this.#decodeFirst(input?.args?.payloads)) ?? null) as Json;
      this.#updates.accepted(String(event.eventId), input?.name ?? '', payload);
      return [];
    }
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (completed) {
      const { outcome } = completed;
      const answer = await this.#decodeFirst(outcome?.success?.payloads);
      const details = await this.#decodeFirst(
        outcome?.failure?.applicationFailureInfo?.details?.payloads,
      );
      return this.#updates.completed(String(completed.acceptedEventId), answer, details);
    }
    const taskFailed = event.workflowTaskFailedEventAttributes;
    if (taskFailed) {
      return [{ type: 'task_failed', message: taskFailed.failure?.message ?? 'no message' }];
    }
    return endOf(event, (payloads) => this.#decodeFirst(payloads));
  }

  /** What the input of an activity says that no activity has made. */
  #newEntries(activityType: string, input: unknown): readonly Recorded[] {
    if (!isJsonObject(input)) return [];
    const takesTranscript =
      activityType === ACTIVITIES.model ||
      activityType === ACTIVITIES.segment ||
      activityType === ACTIVITIES.compact;
    const { position, items } = input;
    if (!takesTranscript || !isJsonObject(position) || !Array.isArray(items)) return [];
    const from = typeof position['count'] === 'number' ? position['count'] : 0;
    const fresh: Recorded[] = [];
    (items as readonly Item[]).forEach((item, index) => {
      const n = from + index;
      if (n < this.#entries) return;
      this.#entries = n + 1;
      if ('entry' in item) fresh.push({ type: 'entry', n, entry: item.entry satisfies Entry });
    });
    return fresh;
  }

  async #decodeFirst(
    payloads: Parameters<PayloadDecoder>[0],
    activityId?: string,
  ): Promise<unknown> {
    const where = { namespace: this.#namespace, workflowId: this.#workflowId };
    const [value] = await this.#decode(
      payloads,
      activityId === undefined
        ? { type: 'workflow', ...where }
        : { type: 'activity', ...where, activityId, isLocal: false },
    );
    return value;
  }
}
