import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { ACTIVITIES } from '../../core/names.ts';
import type { SegmentReference } from '../../core/segment.ts';
import type { SpecRecord } from '../../core/spec.ts';
import type { HistoryEvent, HistorySource } from './history-source.ts';
import type { PayloadDecoder } from './payload-decoder.ts';
import { decodeActivity } from './recorded-activity.ts';
import type { RunLocation } from './transcript-reader.ts';

/** What a run began with. */
export interface RunBeginning {
  /** The run that it continues. */
  readonly predecessor?: string;
  /** The older entries, where it continues a run. */
  readonly segment?: SegmentReference;
  readonly spec?: SpecRecord;
  /** All that was handed over to it. */
  readonly resumed?: JsonObject;
}

/** Reads a run's first event; `undefined` when the server does not have the run (any more). */
export async function readRunBeginning(
  source: HistorySource,
  decode: PayloadDecoder,
  run: RunLocation,
): Promise<RunBeginning | undefined> {
  for await (const [first] of source.oldestFirst(run)) {
    return first === undefined ? undefined : beginningOf(decode, run, first);
  }
  return undefined;
}

export async function beginningOf(
  decode: PayloadDecoder,
  run: RunLocation,
  first: HistoryEvent,
): Promise<RunBeginning> {
  const started = first.workflowExecutionStartedEventAttributes;
  const predecessor = started?.continuedExecutionRunId;
  // Only a run with a predecessor is believed: anybody can start one with such an argument.
  if (!started || !predecessor) return {};
  const { namespace, workflowId } = run;
  const [input] = await decode(started.input?.payloads, {
    type: 'workflow',
    namespace,
    workflowId,
  });
  const resumed = isJsonObject(input) ? input['resumed'] : undefined;
  if (!isJsonObject(resumed)) return { predecessor };
  const { segment, spec } = resumed;
  return {
    predecessor,
    resumed,
    ...(isJsonObject(segment) ? { segment: segment as unknown as SegmentReference } : {}),
    ...(isJsonObject(spec) ? { spec: spec as unknown as SpecRecord } : {}),
  };
}

/**
 * Finds a spec's record by its digest, or the first one without: in the hand-over, or among the
 * run's spec activities.
 */
export async function readSpecRecord(
  source: HistorySource,
  decode: PayloadDecoder,
  run: RunLocation,
  digest?: string,
): Promise<SpecRecord | undefined> {
  const scheduled = new Map<string, HistoryEvent>();
  const fits = (record: SpecRecord | undefined): record is SpecRecord =>
    record !== undefined && (digest === undefined || record.digest === digest);
  for await (const events of source.oldestFirst(run)) {
    for (const event of events) {
      if (event.workflowExecutionStartedEventAttributes) {
        const { spec } = await beginningOf(decode, run, event);
        if (fits(spec)) return spec;
      }
      const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (type === ACTIVITIES.spec) scheduled.set(String(event.eventId), event);
      const record = await specRecordOf(decode, run, event, scheduled);
      if (fits(record)) return record;
    }
  }
  return undefined;
}

async function specRecordOf(
  decode: PayloadDecoder,
  run: RunLocation,
  event: HistoryEvent,
  scheduled: ReadonlyMap<string, HistoryEvent>,
): Promise<SpecRecord | undefined> {
  const completed = event.activityTaskCompletedEventAttributes;
  const begun = scheduled.get(String(completed?.scheduledEventId));
  if (!completed || !begun) return undefined;
  const { output } = await decodeActivity(decode, run, {
    activityId: begun.activityTaskScheduledEventAttributes?.activityId ?? '',
    activityType: ACTIVITIES.spec,
    input: [],
    output: completed.result?.payloads ?? [],
  });
  return isJsonObject(output) ? (output as unknown as SpecRecord) : undefined;
}
