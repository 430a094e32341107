import type { Client } from '@temporalio/client';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Known } from './chain-walk.ts';
import { callsOfEvents } from './calls-of-events.ts';
import type { ConversationRecord, RecordedEntry } from './conversation-record.ts';
import { endOfRun } from './end-of-run.ts';
import { entryPlacesOf, type EntryPlaces } from './entry-places.ts';
import { createHistorySource, type HistoryEvent, type HistorySource } from './history-source.ts';
import { measured } from './measured.ts';
import { createPayloadDecoder, type PayloadDecoder } from './payload-decoder.ts';
import { readGap } from './read-gap.ts';
import type { RecordedCall } from './recorded-call.ts';
import { recordedEntryOf } from './recorded-entry.ts';
import { createEventDecoder, type RecordedEvent } from './recorded-event.ts';
import { beginningOf, type RunBeginning } from './run-beginning.ts';
import { createSegmentLoader } from './segment-loader.ts';
import type { LineEntry } from './transcript-line.ts';
import type { RunLocation } from './transcript-reader.ts';

export interface ReadConversationOptions {
  readonly client: Client;
  readonly workflowId: string;
  /** Default: the newest run. Runs after it are left out. */
  readonly runId?: string;
  /** The blob store of the workers; without it entries of earlier runs come from their histories. */
  readonly blobs?: BlobStore;
}

/**
 * Reads a conversation from history: open or closed, over all its runs, with no worker up. Large
 * content stays a reference (`loadValue` and `createBlobResolver` load it).
 * @throws {WorkflowNotFoundError} when the server does not know the conversation (any more).
 * @throws {TranscriptMismatch} when what is recorded does not add up.
 */
export async function readConversation({
  client,
  workflowId,
  runId,
  blobs,
}: ReadConversationOptions): Promise<ConversationRecord> {
  const described = await client.workflow.getHandle(workflowId, runId).describe();
  const { namespace, loadedDataConverter } = client.options;
  return readConversationFrom({
    history: createHistorySource(client.connection),
    decode: createPayloadDecoder(loadedDataConverter.payloadCodecs),
    location: { namespace, workflowId, runId: described.runId },
    agent: described.type,
    status: described.status.name,
    blobs,
  });
}

export interface ConversationSource {
  readonly history: HistorySource;
  readonly decode: PayloadDecoder;
  readonly location: RunLocation;
  readonly agent: string;
  readonly status: string;
  readonly blobs: BlobStore | undefined;
}

/** The same from any source of histories. */
export async function readConversationFrom(
  source: ConversationSource,
): Promise<ConversationRecord> {
  const { location, decode, blobs } = source;
  const runs = await readRuns(source);
  const newest = runs.at(-1);
  const events = runs.flatMap(({ recorded }) => recorded);
  const { calls, otherDecisions } = callsOfEvents(events);
  const places = entryPlacesOf(events);
  const at = endOfRun(location.runId, newest?.recorded ?? [], newest?.beginning ?? {});
  const sources = {
    history: historyOfRuns(runs),
    decode,
    segments: createSegmentLoader(blobs, location.workflowId),
  };
  const gap = await readGap(sources, location, at, NOTHING_KNOWN, { acceptRemains: true });
  const since = at.items.flatMap((item) => {
    const line = 'entry' in item ? measured(item.entry) : gap.results.get(item.digest);
    return line === undefined ? [] : [line];
  });
  const lines = [...gap.added, ...since];
  lines.push(...resultsOfOpenBatch(lines, calls, places));
  const entries = lines.map((line, index): RecordedEntry =>
    recordedEntryOf(gap.from + index, line, places.places.get(line.digest)),
  );
  return {
    workflowId: location.workflowId,
    agent: source.agent,
    run: location.runId,
    status: source.status,
    startedAt: events[0]?.at ?? '',
    runs: runs.map(({ run }) => run.runId),
    hasFirstRun: runs[0] !== undefined && runs[0].beginning.predecessor === undefined,
    hasFirstEntry: gap.from === 0,
    entries,
    calls,
    otherDecisions,
  };
}

const NOTHING_KNOWN: Known = {
  countAt: (digest) => (digest === null ? 0 : undefined),
  digestAt: (count) => (count === 0 ? null : undefined),
  result: () => undefined,
};

interface ReadRun {
  readonly run: RunLocation;
  readonly beginning: RunBeginning;
  readonly events: readonly HistoryEvent[];
  readonly recorded: readonly RecordedEvent[];
}

/** The run and those before it, oldest first, as far as the server has them. */
async function readRuns({ history, decode, location }: ConversationSource): Promise<ReadRun[]> {
  const runs: ReadRun[] = [];
  for (let runId: string | undefined = location.runId; runId !== undefined;) {
    const run: RunLocation = { ...location, runId };
    const events: HistoryEvent[] = [];
    const recorded: RecordedEvent[] = [];
    const decodePage = createEventDecoder(decode, run);
    for await (const page of history.oldestFirst(run)) {
      events.push(...page);
      recorded.push(...(await decodePage(page)));
    }
    const [first] = events;
    if (first === undefined) break;
    const beginning = await beginningOf(decode, run, first);
    runs.unshift({ run, beginning, events, recorded });
    runId = beginning.predecessor;
  }
  return runs;
}

/** Histories that were read already, so that nothing is asked for twice. */
function historyOfRuns(runs: readonly ReadRun[]): HistorySource {
  async function* page(location: RunLocation, newestFirst: boolean) {
    const events = runs.find(({ run }) => run.runId === location.runId)?.events ?? [];
    if (events.length > 0) yield await Promise.resolve(newestFirst ? events.toReversed() : events);
  }
  return {
    newestFirst: (location) => page(location, true),
    oldestFirst: (location) => page(location, false),
  };
}

/** Results of the last turn's calls that no completion has received yet, in call order. */
function resultsOfOpenBatch(
  lines: readonly LineEntry[],
  calls: readonly RecordedCall[],
  { results }: EntryPlaces,
): readonly LineEntry[] {
  const last = lines.findLast(({ entry }) => entry.kind === 'assistant')?.entry;
  const there = new Set(lines.map(({ entry }) => (entry.kind === 'result' ? entry.key : '')));
  return calls
    .filter(({ turn, step }) => turn === last?.turn && step === last.step)
    .flatMap(({ planned }) => {
      const result = results.get(planned.key);
      return result === undefined || there.has(planned.key) ? [] : [measured(result.entry)];
    });
}
