import type { CallOutput, ModelOutput } from '../../core/activity-shapes.ts';
import { positionOfKey, type PlannedCall } from '../../core/call.ts';
import type { ResultEntry } from '../../core/entry.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { ACTIVITIES, SIGNALS, UPDATES } from '../../core/names.ts';
import type { Stored } from '../../core/stored.ts';
import { callOutputOf, startOf } from './entries-of-events.ts';
import type {
  RecordedAttempt,
  RecordedCall,
  RecordedCalls,
  RecordedDecision,
  RecordedResult,
} from './recorded-call.ts';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * What history says of every call of a conversation, in events of one run or of several, oldest
 * first. Pure; what it cannot read it passes over.
 */
export function callsOfEvents(events: readonly RecordedEvent[]): RecordedCalls {
  const reading = new CallReading();
  for (const event of events) reading.take(event);
  return reading.calls();
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
interface OpenCall extends Writable<Omit<RecordedCall, 'decisions' | 'attempts'>> {
  readonly decisions: RecordedDecision[];
  readonly attempts: RecordedAttempt[];
}
type Scheduled = Extract<RecordedEvent, { type: 'activity_scheduled' }>;

class CallReading {
  readonly #calls = new Map<string, OpenCall>();
  readonly #others: RecordedDecision[] = [];
  /** By run and event. */
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #attempts = new Map<string, { call: OpenCall; index: number }>();
  readonly #updates = new Map<string, { list: RecordedDecision[]; index: number }>();

  calls(): RecordedCalls {
    return { calls: [...this.#calls.values()], otherDecisions: this.#others };
  }

  take(event: RecordedEvent): void {
    switch (event.type) {
      case 'run_started':
        return this.#takeHandedOver(event.input, event.at);
      case 'activity_scheduled':
        return this.#takeScheduled(event);
      case 'activity_started': {
        const { worker, at } = event;
        return this.#changeAttempt(event, { worker, startedAt: at });
      }
      case 'activity_completed':
        return this.#takeCompleted(event);
      case 'activity_ended': {
        const { end, failure, at } = event;
        return this.#changeAttempt(event, { state: end, failure, endedAt: at });
      }
      case 'signal':
        if (event.name === SIGNALS.approve || event.name === SIGNALS.deny) {
          this.#takeDecision(event.input, { via: 'signal', at: event.at, decision: event.name });
        }
        return;
      case 'update_accepted':
        if (event.name === UPDATES.decide && isJsonObject(event.input)) {
          const decision = event.input['decision'] === 'approve' ? 'approve' : 'deny';
          const taken = this.#takeDecision(event.input, { via: 'update', at: event.at, decision });
          this.#updates.set(`${event.run} ${event.id}`, taken);
        }
        return;
      case 'update_completed': {
        const taken = this.#updates.get(`${event.run} ${event.acceptedId}`);
        const decision = taken?.list[taken.index];
        if (taken && decision && event.refusal) {
          taken.list[taken.index] = { ...decision, refusal: event.refusal };
        }
        return;
      }
    }
  }

  /** The open batch that a run was handed: its plan may be in a history that is gone. */
  #takeHandedOver(input: unknown, at: string): void {
    const resumed = isJsonObject(input) ? input['resumed'] : undefined;
    const batch = isJsonObject(resumed) ? resumed['batch'] : undefined;
    const plan = isJsonObject(batch) ? batch['plan'] : undefined;
    if (Array.isArray(plan)) this.#plan(plan as readonly Json[], at);
  }

  #plan(plan: readonly Json[], at: string): void {
    for (const planned of plan) {
      if (!isPlannedCall(planned) || this.#calls.has(planned.key)) continue;
      const place = placeOf(planned.key);
      if (place === undefined) continue;
      const { turn, step } = place;
      const call: OpenCall = { turn, step, planned, plannedAt: at, decisions: [], attempts: [] };
      if (typeof planned.verdict === 'object') {
        const { outcome, effect, message } = planned.verdict.settled;
        call.result = { outcome, effect, content: message, inTranscript: false };
      }
      this.#calls.set(planned.key, call);
    }
  }

  #takeScheduled(event: Scheduled): void {
    const { run, id, activityId, activityType, input, at } = event;
    this.#scheduled.set(`${run} ${id}`, event);
    const items = startOf(activityType, input)?.items ?? [];
    for (const item of items) {
      if ('entry' in item && item.entry.kind === 'result') this.#takeEntry(item.entry);
      if ('activityId' in item) this.#entered(item.digest);
    }
    const key = isJsonObject(input) ? input['key'] : undefined;
    const call = typeof key === 'string' ? this.#calls.get(key) : undefined;
    if (call === undefined || !isJsonObject(input)) return;
    const kind =
      activityType === ACTIVITIES.reconcile
        ? 'reconcile'
        : activityType === ACTIVITIES.validate
          ? 'validate'
          : 'tool';
    if (kind === 'tool' && input['edited'] !== undefined) {
      call.effectiveInput = input['input'] as Stored<Json>;
    }
    const attempt: RecordedAttempt = { activityId, kind, run, scheduledAt: at, state: 'open' };
    this.#attempts.set(`${run} ${id}`, { call, index: call.attempts.push(attempt) - 1 });
  }

  #takeCompleted(event: Extract<RecordedEvent, { type: 'activity_completed' }>): void {
    const { run, scheduledId, output, at } = event;
    const scheduled = this.#scheduled.get(`${run} ${scheduledId}`);
    if (scheduled === undefined) return;
    this.#changeAttempt(event, { state: 'completed', endedAt: at });
    if (scheduled.activityType === ACTIVITIES.model) {
      const plan = isJsonObject(output) ? (output as unknown as ModelOutput).plan : undefined;
      if (Array.isArray(plan)) this.#plan(plan as readonly Json[], at);
      return;
    }
    const call = this.#attempts.get(`${run} ${scheduledId}`)?.call;
    const settled = callOutputOf({ ...scheduled, output });
    if (call === undefined || settled === undefined) return;
    call.result = resultOf(settled);
    this.#digests.set(settled.digest, call);
  }

  readonly #digests = new Map<string, OpenCall>();

  #entered(digest: string): void {
    const call = this.#digests.get(digest);
    if (call?.result !== undefined) call.result = { ...call.result, inTranscript: true };
  }

  /** The transcript has the last word: a patch that failed, a denial, an expiry. */
  #takeEntry({ key, outcome, effect, content, shownAs }: ResultEntry): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    const shown = shownAs === undefined ? {} : { shownAs };
    call.result = { outcome, effect, content, ...shown, inTranscript: true };
  }

  #changeAttempt(
    event: { readonly run: string; readonly scheduledId: number },
    change: Partial<RecordedAttempt>,
  ): void {
    const place = this.#attempts.get(`${event.run} ${event.scheduledId}`);
    const attempt = place?.call.attempts[place.index];
    if (place && attempt) place.call.attempts[place.index] = { ...attempt, ...change };
  }

  #takeDecision(
    input: unknown,
    how: Pick<RecordedDecision, 'via' | 'at' | 'decision'>,
  ): { list: RecordedDecision[]; index: number } {
    const verdict = isJsonObject(input) ? input : {};
    const list = this.#callOf(verdict)?.decisions ?? this.#others;
    return { list, index: list.push({ ...how, ...wordsOf(verdict) }) - 1 };
  }

  /** By key; by the provider's id only as the newest call that has it, for ids repeat. */
  #callOf({ key, callId }: JsonObject): OpenCall | undefined {
    if (typeof key === 'string') return this.#calls.get(key);
    return [...this.#calls.values()].findLast(({ planned }) => planned.callId === callId);
  }
}

function resultOf(output: CallOutput): RecordedResult {
  const { outcome, effect, content, shownAs, size, tokens } = output;
  const shown = shownAs === undefined ? {} : { shownAs };
  return { outcome, effect, content, ...shown, size, tokens, inTranscript: false };
}

function isPlannedCall(value: Json): value is Json & PlannedCall {
  return isJsonObject(value) && typeof value['key'] === 'string' && value['verdict'] !== undefined;
}

function placeOf(key: string): { readonly turn: number; readonly step: number } | undefined {
  try {
    return positionOfKey(key);
  } catch {
    return undefined;
  }
}

function wordsOf(verdict: JsonObject): Omit<RecordedDecision, 'via' | 'at' | 'decision'> {
  const text = (name: string) => {
    const value = verdict[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const json = (name: string) => (verdict[name] === undefined ? {} : { [name]: verdict[name] });
  return {
    ...text('key'),
    ...text('callId'),
    ...text('reason'),
    ...text('verdictId'),
    ...json('by'),
    ...json('input'),
    ...json('remember'),
  };
}
