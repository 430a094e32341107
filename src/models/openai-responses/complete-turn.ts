import type OpenAI from 'openai';
import { APIError } from 'openai';
import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import type { Usage } from '../../core/usage.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { startIdleTimer } from '../idle-timer.ts';
import { type CompleteOptions, type Completion, ModelFailure } from '../model.ts';
import { classifyError } from '../openai-compatible/classify-error.ts';
import { send, type SendSettings } from '../openai-compatible/send.ts';
import { readEvents, requireWhole, streamFailure } from '../stream-failure.ts';
import { uniqueCallIds } from '../unique-call-ids.ts';
import { buildRequest, type RequestSettings } from './build-request.ts';
import { hasRefusal, type RawTurn, RESPONSES_FORMAT, viewRawTurn } from './raw-turn.ts';

export type CompleteTurnSettings = RequestSettings & SendSettings;

/** One turn from one streamed response. Its last event holds it whole; the others are for eyes. */
export async function completeTurn(
  client: OpenAI,
  request: ModelRequest,
  options: CompleteOptions & { readonly settings: CompleteTurnSettings },
): Promise<Completion> {
  const { settings, signal, onEvent } = options;
  const timer = startIdleTimer(signal, settings.idle);
  let response: JsonObject | undefined;
  let requestId: string | undefined;
  try {
    const sent = await send(client, {
      timer,
      onBytes: () => onEvent({ type: 'alive' }),
      settings,
      build: () => buildRequest(request, settings),
      create: (connected, body) =>
        connected.responses.create(body, { signal: timer.signal }).withResponse(),
    });
    requestId = sent.response.headers.get('x-request-id') ?? undefined;
    await readEvents<JsonObject>(sent.data, {
      timer,
      isWhole: () => response !== undefined,
      apply(event) {
        show(event, onEvent);
        response = finalResponse(event) ?? response;
      },
    });
    requireWhole(response !== undefined, { timer, signal, missing: 'response.completed' });
    return completionOf(response ?? {}, request, { model: settings.model, requestId });
  } catch (error) {
    const usage = usageOf(response);
    throw streamFailure(classifyError(error), { timer, signal, requestId, usage });
  } finally {
    timer.stop();
  }
}

function show(event: JsonObject, onEvent: CompleteOptions['onEvent']): void {
  const text = event['delta'];
  if (typeof text !== 'string' || text === '') return;
  switch (event['type']) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return onEvent({ type: 'text', text });
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return onEvent({ type: 'reasoning', text });
    default:
      return;
  }
}

/** The response of an event that ends the stream; throws what the service reports as failed. */
function finalResponse(event: JsonObject): JsonObject | undefined {
  const response = isJsonObject(event['response']) ? event['response'] : undefined;
  switch (event['type']) {
    case 'response.completed':
    case 'response.incomplete':
      return response;
    case 'response.failed':
      throw errorOf(isJsonObject(response?.['error']) ? response['error'] : {});
    case 'error':
      throw errorOf(event);
    default:
      return undefined;
  }
}

function errorOf(error: JsonObject): APIError {
  return new APIError(undefined, error, undefined, new Headers());
}

function completionOf(
  response: JsonObject,
  request: ModelRequest,
  { model, requestId }: { readonly model: string; readonly requestId: string | undefined },
): Completion {
  const output = Array.isArray(response['output']) ? response['output'].filter(isJsonObject) : [];
  const calls = output.filter((item) => item['type'] === 'function_call');
  const given = calls.map(({ call_id }) => (typeof call_id === 'string' ? call_id : undefined));
  const turn: RawTurn = { model, output, callIds: uniqueCallIds(given, request) };
  const { stopReason, word } = stopReasonOf(response, turn, calls.length > 0);
  const isFiltered = word === 'content_filter';
  // What a filtered turn holds is not an answer, and may not be built on.
  const kept: RawTurn = isFiltered ? { model, output: [], callIds: [] } : turn;
  const raw = kept as unknown as Json;
  const blocks = viewRawTurn(raw);
  if (stopReason === 'end' && blocks.length === 0) {
    throw new ModelFailure('bad_response', 'the answer was empty');
  }
  return {
    raw,
    format: RESPONSES_FORMAT,
    blocks,
    stopReason,
    providerStopReason: word,
    usage: usageOf(response) ?? estimateUsage(request, blocks),
    ...(requestId === undefined ? {} : { requestId }),
    model: typeof response['model'] === 'string' ? response['model'] : model,
  };
}

function stopReasonOf(
  response: JsonObject,
  turn: RawTurn,
  hasCalls: boolean,
): { readonly stopReason: StopReasonOfModel; readonly word: string } {
  const status = typeof response['status'] === 'string' ? response['status'] : '';
  if (status !== 'completed') {
    const details = response['incomplete_details'];
    const reason = isJsonObject(details) ? details['reason'] : undefined;
    const word = typeof reason === 'string' ? reason : status;
    if (word === 'max_output_tokens') return { stopReason: 'max_tokens', word };
    return { stopReason: word === 'content_filter' ? 'refused' : 'other', word };
  }
  if (hasCalls) return { stopReason: 'tool_calls', word: status };
  return { stopReason: hasRefusal(turn) ? 'refused' : 'end', word: status };
}

/** Their `input_tokens` has the cached ones in it; our `input` has not. */
function usageOf(response: JsonObject | undefined): Usage | undefined {
  const usage = response?.['usage'];
  if (!isJsonObject(usage)) return undefined;
  const input = isJsonObject(usage['input_tokens_details']) ? usage['input_tokens_details'] : {};
  const output = isJsonObject(usage['output_tokens_details']) ? usage['output_tokens_details'] : {};
  const cacheRead = count(input['cached_tokens']);
  const cacheWrite = count(input['cache_write_tokens']);
  return {
    input: Math.max(0, count(usage['input_tokens']) - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: count(usage['output_tokens']),
    reasoning: count(output['reasoning_tokens']),
  };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
