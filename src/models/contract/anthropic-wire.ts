import type { Json, JsonObject } from '../../core/json.ts';
import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
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

const STATUS: { readonly [error in WireError]: readonly [number, string] } = {
  rate_limited: [429, 'rate_limit_error'],
  overloaded: [529, 'overloaded_error'],
  server_error: [500, 'api_error'],
  invalid_request: [400, 'invalid_request_error'],
  context_overflow: [400, 'invalid_request_error'],
  too_large: [413, 'request_too_large'],
  auth: [401, 'authentication_error'],
  permission: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  billing: [402, 'billing_error'],
};

const STOP: { readonly [stop in StopReasonOfModel]: string } = {
  end: 'end_turn',
  tool_calls: 'tool_use',
  max_tokens: 'max_tokens',
  refused: 'refusal',
  context_overflow: 'model_context_window_exceeded',
  unparseable: 'end_turn',
  other: 'a_word_of_tomorrow',
};

/** The Messages API's framing. */
export const anthropicWire: ModelWire = {
  name: 'anthropic',
  answer: (turn) => reply([...frames(turn), event({ type: 'message_stop' })], turn.requestId),
  cut: (turn) => reply(frames(turn).slice(0, -1), turn.requestId),
  error: (error, headers) => jsonReply(STATUS[error][0], errorBody(error), headers),
  errorBody: (error) => jsonReply(200, errorBody(error)),
  errorInStream: (error) =>
    reply([...frames({ text: 'Half of a sen' }).slice(0, 3), sse(errorBody(error), 'error')]),
  keepAlive: () => ({
    ...reply([
      ...frames({ text: 'So' }).slice(0, 2),
      ...Array.from({ length: 5_000 }, () => event({ type: 'ping' })),
    ]),
    pauseMs: 10,
    end: 'hang',
  }),
  read(body) {
    const { system = null, tools = null, messages } = withoutMarks(body) as JsonObject;
    return { system, tools, messages: Array.isArray(messages) ? messages : [] };
  },
};

/** Cache marks move from request to request; they are no part of what is cached. */
function withoutMarks(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value, (key, inner: Json) => (key === 'cache_control' ? undefined : inner)),
  ) as Json;
}

function reply(chunks: readonly Uint8Array[], requestId = 'req_wire'): WireReply {
  return { headers: { ...EVENT_STREAM, 'request-id': requestId }, chunks };
}

/** One event of the API; its name is its type. */
export function event(data: { readonly type: string; readonly [key: string]: Json }): Uint8Array {
  return sse(data, data.type);
}

function errorBody(error: WireError): Json {
  const message =
    error === 'context_overflow'
      ? 'prompt is too long: 210000 tokens > 200000 maximum'
      : `words about ${error}`;
  return { type: 'error', error: { type: STATUS[error][1], message }, request_id: 'req_wire' };
}

/** Everything but `message_stop`. */
function frames(turn: WireTurn): Uint8Array[] {
  const usage = turn.usage ?? WIRE_USAGE;
  const stop = turn.stop ?? ((turn.calls ?? []).length > 0 ? 'tool_calls' : 'end');
  return [
    event({
      type: 'message_start',
      message: {
        id: 'msg_wire',
        type: 'message',
        role: 'assistant',
        model: turn.model ?? 'claude-wire-1',
        content: [],
        container: null,
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input,
          cache_read_input_tokens: usage.cacheRead,
          cache_creation_input_tokens: usage.cacheWrite,
          output_tokens: 1,
        },
      },
    }),
    ...blocksOf(turn).flatMap(([start, ...deltas], index) => [
      event({ type: 'content_block_start', index, content_block: start ?? {} }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: STOP[stop], stop_sequence: null },
      usage: {
        output_tokens: usage.output,
        output_tokens_details: { thinking_tokens: usage.reasoning },
      },
    }),
  ];
}

/** Per block: how it starts, and its deltas. */
function blocksOf(turn: WireTurn): Json[][] {
  const blocks: Json[][] = [];
  if (turn.reasoning !== undefined) {
    blocks.push([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: turn.reasoning },
      { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
    ]);
  }
  const pieces = typeof turn.text === 'string' ? [turn.text] : (turn.text ?? []);
  if (pieces.length > 0) {
    blocks.push([
      { type: 'text', text: '' },
      ...pieces.map((text) => ({ type: 'text_delta', text })),
    ]);
  }
  for (const call of turn.calls ?? []) {
    const text = call.text ?? JSON.stringify(call.input ?? {});
    const middle = Math.ceil(text.length / 2);
    blocks.push([
      { type: 'tool_use', id: call.id, name: call.name, input: {} },
      ...[text.slice(0, middle), text.slice(middle)].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    ]);
  }
  return blocks;
}
