import {
  createPayloadDecoder,
  type PayloadDecoder,
} from '../../activities/transcript/payload-decoder.ts';
import {
  createEventDecoder,
  type RecordedEvent,
} from '../../activities/transcript/recorded-event.ts';
import type { Json } from '../../core/json.ts';
import { refusalIn } from '../refusal-in.ts';
import type { ClientContext } from '../client-context.ts';
import { completedActivity, failedAttempt, type OpenActivity } from './ended-activity.ts';
import { NewEntries } from './new-entries.ts';
import { endOf, type Ending, isEnding } from './ending.ts';
import type { HistoryEvent } from './follow-history.ts';
import type { Recorded, RecordedPlace } from './recorded.ts';

export type PlacedRecord = RecordedPlace & { readonly recorded: Recorded };

/**
 * Reads a conversation's events, oldest first, as what they mean. Keeps what it needs from one page
 * to the next.
 */
export class HistoryProjection {
  readonly #decode: PayloadDecoder;
  readonly #namespace: string;
  readonly #workflowId: string;
  readonly #entries = new NewEntries();
  #run = '';
  #decodePage: ReturnType<typeof createEventDecoder>;
  #activities = new Map<number, OpenActivity>();
  #updates = new Map<number, { readonly name: string; readonly payload: Json }>();

  constructor(context: ClientContext, workflowId: string) {
    this.#decode = createPayloadDecoder(context.client.options.loadedDataConverter.payloadCodecs);
    this.#namespace = context.namespace;
    this.#workflowId = workflowId;
    this.#decodePage = this.#decoderOf('');
  }

  /** Whether the model, or another activity of ours, is at work: then nobody is waited for. */
  get isThinking(): boolean {
    return [...this.#activities.values()].some(({ activityType }) => activityType.includes('.'));
  }

  async take(run: string, events: readonly HistoryEvent[]): Promise<readonly PlacedRecord[]> {
    if (run !== this.#run) {
      this.#run = run;
      this.#decodePage = this.#decoderOf(run);
      this.#activities = new Map();
      this.#updates = new Map();
    }
    const isContinued = events.some((event) =>
      Boolean(event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId),
    );
    const occurrences = await this.#decodePage(events);
    const endings = await Promise.all(events.filter(isEnding).map((event) => this.#ending(event)));
    const all = [...occurrences, ...endings].sort((a, b) => a.id - b.id);
    return all.flatMap((event) => {
      const items = event.type === 'ending' ? [event.recorded] : this.#meaning(event, isContinued);
      const place = { run, eventId: event.id, at: event.at };
      return items.map((recorded, part) => ({ ...place, part, recorded }));
    });
  }

  #meaning(event: RecordedEvent, isContinued: boolean): readonly Recorded[] {
    switch (event.type) {
      case 'run_started': {
        const { agent, input } = event;
        return isContinued
          ? [{ type: 'started', agent, continued: true }]
          : [{ type: 'started', agent, continued: false, start: json(input) }];
      }
      case 'activity_scheduled': {
        const { activityId, activityType, input, at } = event;
        this.#activities.set(event.id, { activityId, activityType, input, at: Date.parse(at) });
        return this.#entries.in(activityType, input);
      }
      case 'activity_started':
        return [];
      case 'activity_completed':
      case 'activity_ended': {
        const activity = this.#activities.get(event.scheduledId);
        if (activity === undefined) return [];
        this.#activities.delete(event.scheduledId);
        const ms = Date.parse(event.at) - activity.at;
        return event.type === 'activity_completed'
          ? completedActivity(activity, event.output, ms)
          : [failedAttempt(activity, event.failure, ms)];
      }
      case 'signal':
        return [{ type: 'received', name: event.name, via: 'signal', payload: json(event.input) }];
      case 'update_accepted':
        this.#updates.set(event.id, { name: event.name, payload: json(event.input) });
        return [];
      case 'update_completed': {
        const update = this.#updates.get(event.acceptedId);
        this.#updates.delete(event.acceptedId);
        if (update === undefined) return [];
        const refusal = refusalIn(event.refusal?.details);
        return [
          {
            type: 'received',
            via: 'update',
            ...update,
            ...(refusal === undefined ? {} : { refusal }),
          },
        ];
      }
    }
  }

  #ending(event: HistoryEvent): Promise<Ending> {
    const where = { namespace: this.#namespace, workflowId: this.#workflowId };
    return endOf(event, async (payloads) => {
      const [value] = await this.#decode(payloads, { type: 'workflow', ...where });
      return value;
    });
  }

  #decoderOf(runId: string): ReturnType<typeof createEventDecoder> {
    const run = { namespace: this.#namespace, workflowId: this.#workflowId, runId };
    return createEventDecoder(this.#decode, run);
  }
}

/** What was decoded from JSON. */
function json(value: unknown): Json {
  return (value ?? null) as Json;
}
