import type { Client } from '@temporalio/client';
import { assembleRequest } from '../activities/assemble-request.ts';
import { lintForModel } from '../activities/lint-for-model.ts';
import type { ConversationRecord } from '../activities/transcript/conversation-record.ts';
import { createHistorySource } from '../activities/transcript/history-source.ts';
import { createPayloadDecoder } from '../activities/transcript/payload-decoder.ts';
import { createBlobResolver } from '../activities/transcript/resolve-blobs.ts';
import { beginningOf, readSpecRecord } from '../activities/transcript/run-beginning.ts';
import type { RunLocation } from '../activities/transcript/transcript-reader.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { loadValue } from '../blobs/stored-value.ts';
import type { ModelInput } from '../core/activity-shapes.ts';
import type { Entry, View } from '../core/entry.ts';
import { isJsonObject } from '../core/json.ts';
import type { ModelRequest } from '../core/model-request.ts';
import { ACTIVITIES } from '../core/names.ts';
import type { LintResult } from '../core/request-linter/lint-request.ts';
import type { Spec } from '../core/spec.ts';
import type { Agent } from '../tools/agent.ts';

/** What a conversation would send to its model now. */
export type RequestFindings =
  | { readonly state: 'unknown'; readonly why: string }
  | {
      readonly state: 'linted';
      readonly model: string;
      readonly lint: LintResult;
      /** Blobs that the store does not have; the model is told which content is lost. */
      readonly missing: readonly string[];
    };

export interface ConversationToLint {
  readonly client: Client;
  readonly blobs: BlobStore;
  readonly record: ConversationRecord;
  /** Of the current code: its models read their own turns. */
  readonly agents: readonly Agent<never>[];
}

const BLOB_CACHE_BYTES = 64_000_000;

/** Runs the request linter over the whole transcript, as the next completion would show it. */
export async function lintConversation(given: ConversationToLint): Promise<RequestFindings> {
  const { client, blobs, record, agents } = given;
  const agent = agents.find(({ name }) => name === record.agent);
  if (agent === undefined) {
    const why = `the agent "${record.agent}" is in no agents file here (--config names one)`;
    return { state: 'unknown', why };
  }
  const { namespace, loadedDataConverter } = client.options;
  const location = { namespace, workflowId: record.workflowId, runId: record.run };
  const history = createHistorySource(client.connection);
  const decode = createPayloadDecoder(loadedDataConverter.payloadCodecs);
  const input = await newestModelInput(history, decode, location);
  const specRecord = await readSpecRecord(history, decode, location, input?.spec);
  if (specRecord === undefined) return { state: 'unknown', why: 'its spec is not recorded yet' };
  const spec = await loadValue<Spec>(blobs, record.workflowId, specRecord.spec);
  const [first] = agent.models;
  const model = agent.models[input?.modelIndex ?? 0] ?? first;
  if (model === undefined) return { state: 'unknown', why: 'its agent has no model' };
  const resolve = createBlobResolver(blobs, BLOB_CACHE_BYTES);
  const missing = new Set<string>();
  const resolveBlobs: Parameters<typeof assembleRequest>[0]['resolveBlobs'] = async (
    _,
    entries,
  ) => {
    const resolved = await resolve(record.workflowId, entries);
    for (const { sha256 } of resolved.missing) missing.add(sha256);
    return resolved;
  };
  const request = await assembleRequest({ resolveBlobs }, location, {
    spec,
    transcript: { entries: settledEntries(record) },
    view: input?.view,
    model,
    models: agent.models,
    input: { attempt: 1 },
  });
  const lint = lintForModel(model, answerable(request));
  return { state: 'linted', model: model.id, lint, missing: [...missing] };
}

/** Without a turn whose calls still run or wait: its results are yet to come. */
function settledEntries({ entries, calls }: ConversationRecord): readonly Entry[] {
  const all = entries.map(({ entry }) => entry);
  const last = all.findLastIndex(({ kind }) => kind === 'assistant');
  const turn = all[last];
  const isOpen = calls.some(
    (call) => !call.result && call.turn === turn?.turn && call.step === turn.step,
  );
  return isOpen ? all.slice(0, last) : all;
}

/** With a message in the place of the next one, where the agent spoke last. */
function answerable(request: ModelRequest): ModelRequest {
  const { messages } = request;
  if (messages.at(-1)?.role !== 'assistant') return request;
  const next = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Go on.' }] };
  return { ...request, messages: [...messages, next] };
}

type ViewAndModel = Partial<Pick<ModelInput, 'view' | 'spec' | 'modelIndex'>>;

/** Of the newest completion of the run, or what the run was handed. */
async function newestModelInput(
  history: ReturnType<typeof createHistorySource>,
  decode: ReturnType<typeof createPayloadDecoder>,
  location: RunLocation,
): Promise<ViewAndModel | undefined> {
  const { namespace, workflowId } = location;
  for await (const events of history.newestFirst(location)) {
    for (const event of events) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityType?.name === ACTIVITIES.model) {
        const [input] = await decode(scheduled.input?.payloads, {
          type: 'activity',
          namespace,
          workflowId,
          activityId: scheduled.activityId ?? '',
          isLocal: false,
        });
        return isJsonObject(input) ? (input as unknown as ModelInput) : undefined;
      }
      if (event.workflowExecutionStartedEventAttributes) {
        const { resumed } = await beginningOf(decode, location, event);
        return isJsonObject(resumed?.['view']) ? { view: resumed['view'] as unknown as View } : {};
      }
    }
  }
  return undefined;
}
