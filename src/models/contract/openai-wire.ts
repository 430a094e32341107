import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { WireReply } from './model-server.ts';
import {
  EVENT_STREAM,
  jsonReply,
  type ModelWire,
  sse,
  WIRE_USAGE,
  type WireError,
  type WireTurn,
} from './wire.ts';

const ERRORS: { readonly [error in WireError]: readonly [number, string, string] } = {
  rate_limited: [429, 'rate_limit_exceeded', 'Rate limit reached'],
  overloaded: [503, 'overloaded_error', 'The engine is overloaded'],
  server_error: [500, 'server_error', 'The server had an error'],
  invalid_request: [400, 'invalid_request_error', 'messages[1] is wrong'],
  context_overflow: [400, 'context_length_exceeded', 'maximum context length is 8192 tokens'],
  too_large: [413, 'request_too_large', 'Payload too large'],
  auth: [401, 'invalid_api_key', 'Incorrect API key'],
  permission: [403, 'permission_error', 'Not allowed'],
  not_found: [404, 'model_not_found', 'No such model'],
  billing: [429, 'insufficient_quota', 'You exceeded your current quota'],
};

const FINISH: { readonly [stop in StopReasonOfModel]: string } = {
  end: 'stop',
  tool_calls: 'tool_calls',
  max_tokens: 'length',
  refused: 'content_filter',
  context_overflow: 'length',
  unparseable: 'stop',
  other: 'a_word_of_tomorrow',
};

/** The framing of Chat Completions. */
export const openaiWire: ModelWire = {
  name: 'openai',
  answer: (turn) => reply([...frames(turn), ...ending(turn), sse('[DONE]')], turn.requestId),
  cut: (turn) => reply(frames(turn), turn.requestId),
  error: (error, headers) => jsonReply(ERRORS[error][0], { error: errorBody(error) }, headers),
  errorBody: (error) => jsonReply(200, { error: errorBody(error) }),
  errorInStream: (error) =>
    reply([...frames({ text: 'Half of a sen' }), sse({ error: errorBody(error) })]),
  keepAlive: () => ({
    ...reply([
      ...frames({ text: 'So' }).slice(0, 1),
      ...Array.from({ length: 5_000 }, () => Buffer.from(': keep-alive\n\n')),
    ]),
    pauseMs: 10,
    end: 'hang',
  }),
  read(body) {
    const { messages, tools = null } = body as JsonObject;
    const all = Array.isArray(messages) ? (messages as Json[]) : [];
    const [first, ...rest] = all;
    const hasSystem =
      isJsonObject(first) && (first['role'] === 'system' || first['role'] === 'developer');
    return { system: hasSystem ? first : null, tools, messages: hasSystem ? rest : all };
  },
};

function reply(chunks: readonly Uint8Array[], requestId = 'req_wire'): WireReply {
  return { headers: { ...EVENT_STREAM, 'x-request-id': requestId }, chunks };
}

function errorBody(error: WireError): Json {
  const [status, word, message] = ERRORS[error];
  return { message, type: word, code: status === 413 ? null : word, param: null };
}

/** One chunk with one choice. */
export function chunk(turn: WireTurn, choice: JsonObject, more: JsonObject = {}): Uint8Array {
  return sse({
    id: 'chatcmpl-wire',
    object: 'chat.completion.chunk',
    created: 1,
    model: turn.model ?? 'wire-1',
    choices: [{ index: 0, finish_reason: null, ...choice }],
    ...more,
  });
}

/** Everything up to the finish reason. */
function frames(turn: WireTurn): Uint8Array[] {
  const pieces = typeof turn.text === 'string' ? [turn.text] : (turn.text ?? []);
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }];
  if (turn.reasoning !== undefined) deltas.push({ reasoning_content: turn.reasoning });
  deltas.push(...pieces.map((content) => ({ content })));
  for (const [index, call] of (turn.calls ?? []).entries()) {
    const text = call.text ?? JSON.stringify(call.input ?? {});
    const middle = Math.ceil(text.length / 2);
    const first = { name: call.name, arguments: text.slice(0, middle) };
    deltas.push(
      { tool_calls: [{ index, id: call.id, type: 'function', function: first }] },
      { tool_calls: [{ index, function: { arguments: text.slice(middle) } }] },
    );
  }
  return deltas.map((delta) => chunk(turn, { delta }));
}

/** The finish reason, and the usage in a chunk without choices. */
function ending(turn: WireTurn): Uint8Array[] {
  const usage = turn.usage ?? WIRE_USAGE;
  const stop = turn.stop ?? ((turn.calls ?? []).length > 0 ? 'tool_calls' : 'end');
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return [
    chunk(turn, { delta: {}, finish_reason: FINISH[stop] }),
    chunk(
      turn,
      {},
      {
        choices: [],
        usage: {
          prompt_tokens: prompt,
          completion_tokens: usage.output,
          total_tokens: prompt + usage.output,
          prompt_tokens_details: {
            cached_tokens: usage.cacheRead,
            cache_write_tokens: usage.cacheWrite,
          },
          completion_tokens_details: { reasoning_tokens: usage.reasoning },
        },
      },
    ),
  ];
}
