import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { uniqueCallIds } from '../unique-call-ids.ts';
import { callsOf, type RawTurn, viewRawTurn } from './raw-turn.ts';
import type { StreamedTurn } from './read-stream.ts';

/** The turn as it is recorded, with ids of our own where the server's do not tell calls apart. */
export function settleTurn(model: string, turn: StreamedTurn, request: ModelRequest): RawTurn {
  if (turn.finishReason === 'content_filter') {
    // What a filtered turn holds is not an answer, and may not be built on.
    return { model, message: { role: 'assistant', content: null }, callIds: [] };
  }
  const message: JsonObject = {
    role: 'assistant',
    content: turn.text === '' ? null : turn.text,
    ...turn.fields,
    ...(turn.calls.length === 0 ? {} : { tool_calls: turn.calls.map(rawCall) }),
  };
  return {
    model,
    message,
    callIds: uniqueCallIds(
      turn.calls.map((call) => call.id),
      request,
    ),
  };
}

function rawCall(call: StreamedTurn['calls'][number]): JsonObject {
  const { function: inner, ...fields } = call.fields;
  const more = typeof inner === 'object' && inner !== null ? (inner as JsonObject) : {};
  return {
    ...fields,
    id: call.id,
    type: 'function',
    function: { ...more, name: call.name, arguments: call.arguments ?? '' },
  };
}

/** Servers disagree with themselves here: whether there are calls is looked at, not only said. */
export function stopReasonOf(
  turn: StreamedTurn,
  raw: RawTurn,
  maxOutputTokens: number,
): StopReasonOfModel {
  const { finishReason } = turn;
  if (finishReason === 'length') return 'max_tokens';
  if (finishReason === 'content_filter') return 'refused';
  const blocks = viewRawTurn(raw as unknown as Json);
  const unread = blocks.some(
    (block) => block.type === 'tool_call' && block.malformed !== undefined,
  );
  const written = turn.usage?.['completion_tokens'];
  if (unread && typeof written === 'number' && written >= maxOutputTokens) return 'max_tokens';
  if (callsOf(raw.message).length > 0) return 'tool_calls';
  const refusal = raw.message['refusal'];
  if (typeof refusal === 'string' && refusal !== '') return 'refused';
  return finishReason === 'stop' ? 'end' : 'other';
}
