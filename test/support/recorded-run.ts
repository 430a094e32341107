import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { putValue } from '../../src/blobs/stored-value.ts';
import { segmentOf } from '../../src/activities/segment.ts';
import { chainDigest, digestOf } from '../../src/activities/transcript/digest.ts';
import type { HistoryEvent } from '../../src/activities/transcript/history-source.ts';
import type { ReadAt } from '../../src/activities/transcript/read-at.ts';
import type { RunLocation } from '../../src/activities/transcript/transcript-reader.ts';
import type {
  CallOutput,
  ModelInput,
  ModelOutput,
  SegmentInput,
} from '../../src/core/activity-shapes.ts';
import { assistantEntryOf } from '../../src/core/assistant-entry.ts';
import type { PlannedCall } from '../../src/core/call.ts';
import type { Content } from '../../src/core/content.ts';
import type { Entry, Item, Position } from '../../src/core/entry.ts';
import { resultEntryOf } from '../../src/core/result-entry.ts';
import type { SegmentReference } from '../../src/core/segment.ts';
import type { Stored } from '../../src/core/stored.ts';
import { NO_USAGE } from '../../src/core/usage.ts';
import { callInputOf, callOutputOf, modelOutputOf, plannedCall } from './sample-outputs.ts';

export interface RunOptions {
  readonly workflowId?: string;
  readonly codecs?: readonly PayloadCodec[];
  /** What the workflow was started with. */
  readonly input?: unknown;
  readonly continues?: RecordedRun;
  readonly segment?: SegmentReference;
}

/**
 * A run's history as a conversation's workflow records it, event by event, together with what the
 * transcript must be. Digests are made here as activities make them.
 */
export class RecordedRun {
  readonly location: RunLocation;
  readonly events: HistoryEvent[] = [];
  /** What the transcript must be up to the position. */
  entries: Entry[] = [];
  position: Position;
  items: Item[] = [];
  /** What the items are. */
  since: Entry[] = [];
  turn = 0;
  step = 0;
  segment: SegmentReference | undefined;
  readonly #codecs: readonly PayloadCodec[];
  #milliseconds = Date.UTC(2030, 0, 1);

  private constructor(options: RunOptions) {
    const workflowId = options.continues?.location.workflowId ?? options.workflowId ?? 'order-7';
    this.location = { namespace: 'default', workflowId, runId: randomUUID() };
    this.#codecs = options.codecs ?? [];
    this.position = { run: this.location.runId, count: 0, digest: null };
    this.segment = options.segment;
  }

  static async begin(options: RunOptions = {}): Promise<RecordedRun> {
    const run = new RecordedRun(options);
    const { continues, segment } = options;
    if (continues !== undefined && segment !== undefined) {
      run.entries = [...continues.entries, ...continues.since];
      run.turn = continues.turn;
      run.step = continues.step;
      run.position = {
        run: continues.location.runId,
        count: segment.count,
        digest: segment.digest,
      };
    }
    run.add({
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: 'support' },
        input: { payloads: await run.encode(options.input ?? {}) },
        ...(continues === undefined ? {} : { continuedExecutionRunId: continues.location.runId }),
      },
    });
    return run;
  }

  get at(): ReadAt {
    return {
      position: this.position,
      items: this.items,
      ...(this.segment === undefined ? {} : { segment: this.segment }),
    };
  }

  get expected(): readonly Entry[] {
    return [...this.entries, ...this.since];
  }

  async encode(...values: unknown[]): Promise<Payload[]> {
    let payloads = values.map((value) => defaultPayloadConverter.toPayload(value));
    for (const codec of this.#codecs) payloads = await codec.encode(payloads);
    return payloads;
  }

  add(attributes: Partial<HistoryEvent>): number {
    const id = this.events.length + 1;
    this.#milliseconds += 5;
    const seconds = Math.floor(this.#milliseconds / 1000);
    const eventTime = { seconds, nanos: (this.#milliseconds % 1000) * 1_000_000 };
    // The server's own numbers are Longs; plain ones print and compare the same.
    this.events.push({ eventId: id, eventTime, ...attributes } as unknown as HistoryEvent);
    return id;
  }

  async schedule(activityId: string, activityType: string, input: unknown): Promise<number> {
    const payloads = await this.encode(input);
    return this.add({
      activityTaskScheduledEventAttributes: {
        activityId,
        activityType: { name: activityType },
        input: { payloads },
      },
    });
  }

  start(scheduledEventId: number, identity = 'worker-1'): number {
    return this.add({
      activityTaskStartedEventAttributes: { scheduledEventId, identity, attempt: 1 } as never,
    });
  }

  async complete(scheduledEventId: number, output: unknown, identity?: string): Promise<void> {
    const startedEventId = this.start(scheduledEventId, identity);
    const payloads = await this.encode(output);
    this.add({
      activityTaskCompletedEventAttributes: {
        scheduledEventId,
        startedEventId,
        result: { payloads },
      } as never,
    });
  }

  async activity(activityId: string, activityType: string, input: unknown, output: unknown) {
    await this.complete(await this.schedule(activityId, activityType, input), output);
  }

  inline(entry: Entry): void {
    this.items.push({ entry });
    this.since.push(entry);
  }

  user(content: Stored<Content>): void {
    this.turn += 1;
    this.step = 0;
    const id = `message-${this.turn}`;
    const at = '2030-01-01T00:00:00.000Z';
    this.inline({ kind: 'user', turn: this.turn, step: 0, id, content, at });
  }

  modelInput(): ModelInput {
    return {
      spec: 'spec-digest',
      rules: [],
      modelIndex: 0,
      attempt: 1,
      usage: NO_USAGE,
      ...this.at,
      items: [...this.items],
    };
  }

  /** A completion. One that is `givenUp` was recorded, but the workflow went on without it. */
  async model(
    turn: unknown,
    options: {
      readonly calls?: readonly PlannedCall[];
      readonly givenUp?: boolean;
      readonly activityId?: string;
    } = {},
  ): Promise<ModelOutput> {
    this.step += 1;
    const activityId = options.activityId ?? `${this.turn}.${this.step}.model`;
    const output = modelOutputOf(
      this,
      turn,
      options.calls,
      typeof turn === 'string' ? turn : undefined,
    );
    await this.activity(activityId, 'perdure.model', this.modelInput(), output);
    if (options.givenUp === true) return output;
    this.entries = [...this.entries, ...this.since, assistantEntryOf(this.turn, this.step, output)];
    this.position = {
      run: this.location.runId,
      count: output.count,
      digest: output.transcriptDigest,
    };
    this.items = [];
    this.since = [];
    return output;
  }

  plan(index: number, more: Partial<PlannedCall> = {}): PlannedCall {
    const { turn, step, location } = this;
    return plannedCall({ conversation: location.workflowId, turn, step: step + 1, index }, more);
  }

  /** A tool call that ran; its result is the next item. */
  async result(
    call: PlannedCall,
    content: Stored<Content>,
    options: { readonly suffix?: string; readonly more?: Partial<CallOutput> } = {},
  ): Promise<CallOutput> {
    const output = callOutputOf(call, content, options.more);
    const activityId = `${this.turn}.${this.step}.${call.index}${options.suffix ?? ''}`;
    await this.activity(activityId, call.tool, callInputOf(call), output);
    this.items.push({ activityId, digest: output.digest });
    this.since.push(resultEntryOf(call, output));
    return output;
  }

  /** One user message, a call, its result and the answer. */
  async pair(text: string): Promise<void> {
    this.user(text);
    const call = this.plan(0);
    await this.model({ calls: [text] }, { calls: [call] });
    await this.result(call, `result of ${text}`);
    await this.model(`answer to ${text}`);
  }

  /** Writes what is recorded so far as a segment, as the activity does. */
  async handOver(
    blobs: BlobStore,
    loose: SegmentInput['loose'] = [],
    looseEntries: readonly Entry[] = [],
  ): Promise<SegmentReference> {
    const input: SegmentInput = {
      position: this.position,
      items: this.items,
      loose,
      previous: this.segment ?? null,
    };
    const entries = [...this.expected, ...looseEntries];
    const digests = entries.map((entry) => digestOf(entry));
    const digest = digests.reduce<string | null>(chainDigest, null);
    const { segment, ...output } = segmentOf(input, {
      beginning: { from: 0, digest: null },
      entries,
      digests,
      digest,
    });
    const { blob } = await putValue(blobs, this.location.workflowId, segment, '');
    await this.activity('segment.1', 'perdure.segment', input, { blob, ...output });
    return { blob, count: output.count, digest: output.digest };
  }
}
