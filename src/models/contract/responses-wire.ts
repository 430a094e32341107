import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { WireReply } from './model-server.ts';
import { openaiWire } from './openai-wire.ts';
import { EVENT_STREAM, type ModelWire, sse, WIRE_USAGE, type WireTurn } from './wire.ts';

/** The framing of OpenAI's Responses API; its error documents are those of Chat Completions. */
export const responsesWire: ModelWire = {
  ...openaiWire,
  name: 'openai responses',
  answer: (turn) => reply([...frames(turn), ending(turn)], turn.requestId),
  cut: (turn) => reply(frames(turn), turn.requestId),
  errorInStream: (error) => {
    const [status] = [openaiWire.error(error)];
    const body = JSON.parse(Buffer.concat(status.chunks).toString('utf8')) as JsonObject;
    const failed = { status: 'failed', error: body['error'] ?? null };
    return reply([
      ...frames({ text: 'Half of a sen' }),
      event({ type: 'response.failed', response: failed }),
    ]);
  },
  keepAlive: () => ({
    ...reply([
      ...frames({}).slice(0, 1),
      ...Array.from({ length: 5_000 }, () => Buffer.from(': keep-alive\n\n')),
    ]),
    pauseMs: 10,
    end: 'hang',
  }),
  read(body) {
    const { instructions = null, tools = null, input } = body as JsonObject;
    return { system: instructions, tools, messages: Array.isArray(input) ? input : [] };
  },
};

function reply(chunks: readonly Uint8Array[], requestId = 'req_wire'): WireReply {
  return { headers: { ...EVENT_STREAM, 'x-request-id': requestId }, chunks };
}

/** One event; its name is its type. */
function event(data: { readonly type: string; readonly [key: string]: Json }): Uint8Array {
  return sse(data, data.type);
}

/** Everything but the event that ends the response. */
function frames(turn: WireTurn): Uint8Array[] {
  const events: { type: string; [key: string]: Json }[] = [
    { type: 'response.created', response: { id: 'resp_wire', status: 'in_progress', output: [] } },
  ];
  for (const [output_index, item] of outputOf(turn).entries()) {
    events.push({ type: 'response.output_item.added', output_index, item });
    const deltas =
      item['type'] === 'message'
        ? piecesOf(turn).map((delta) => ({ type: 'response.output_text.delta', delta }))
        : item['type'] === 'function_call'
          ? [{ type: 'response.function_call_arguments.delta', delta: item['arguments'] ?? '' }]
          : [];
    events.push(...deltas.map((delta) => ({ ...delta, output_index })));
    events.push({ type: 'response.output_item.done', output_index, item });
  }
  return events.map(event);
}

function ending(turn: WireTurn): Uint8Array {
  const usage = turn.usage ?? WIRE_USAGE;
  const incomplete = { max_tokens: 'max_output_tokens', refused: 'content_filter' } as const;
  const stop = turn.stop ?? 'end';
  const reason = stop === 'max_tokens' || stop === 'refused' ? incomplete[stop] : null;
  const status =
    stop === 'other' ? 'a_word_of_tomorrow' : reason === null ? 'completed' : 'incomplete';
  return event({
    type: reason === null ? 'response.completed' : 'response.incomplete',
    response: {
      id: 'resp_wire',
      object: 'response',
      model: turn.model ?? 'wire-1',
      status,
      incomplete_details: reason === null ? null : { reason },
      output: outputOf(turn),
      usage: {
        input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
        input_tokens_details: {
          cached_tokens: usage.cacheRead,
          cache_write_tokens: usage.cacheWrite,
        },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    },
  });
}

function piecesOf({ text = [] }: WireTurn): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

function outputOf(turn: WireTurn): JsonObject[] {
  const items: JsonObject[] = [];
  if (turn.reasoning !== undefined) {
    const summary = [{ type: 'summary_text', text: turn.reasoning }];
    items.push({ type: 'reasoning', id: 'rs_wire', summary, encrypted_content: 'ZW5jcnlwdGVk' });
  }
  const text = piecesOf(turn).join('');
  if (text !== '') {
    const content = [{ type: 'output_text', text, annotations: [] }];
    items.push({
      type: 'message',
      id: 'msg_wire',
      role: 'assistant',
      status: 'completed',
      content,
    });
  }
  for (const [index, call] of (turn.calls ?? []).entries()) {
    const sent = call.text ?? JSON.stringify(call.input ?? {});
    const id = `fc_wire_${index}`;
    items.push({ type: 'function_call', id, call_id: call.id, name: call.name, arguments: sent });
  }
  return items.filter(isJsonObject);
}
