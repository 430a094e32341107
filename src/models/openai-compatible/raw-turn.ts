import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Block } from '../../core/model-request.ts';
import { readLooseArguments } from '../read-loose-arguments.ts';

export const OPENAI_FORMAT = 'openai';

/** The recorded form of an assistant turn. */
export interface RawTurn {
  /** The model that was asked: only it gets the fields back that we have no word for. */
  readonly model: string;
  /** The message as it came, unknown fields included. */
  readonly message: JsonObject;
  /** Our id of each call, in order: a server's may be missing, empty, or the same every turn. */
  readonly callIds: readonly string[];
}

/** Undefined when the value is no turn of this adapter. */
export function asRawTurn(raw: Json): RawTurn | undefined {
  if (!isJsonObject(raw) || !isJsonObject(raw['message'])) return undefined;
  return Array.isArray(raw['callIds']) ? (raw as unknown as RawTurn) : undefined;
}

export function callsOf(message: JsonObject): readonly JsonObject[] {
  const calls = message['tool_calls'];
  return Array.isArray(calls) ? calls.filter(isJsonObject) : [];
}

/** The neutral view of a recorded turn. */
export function viewRawTurn(raw: Json): readonly Block[] {
  const turn = asRawTurn(raw);
  if (turn === undefined) return [];
  const { message } = turn;
  const blocks: Block[] = [];
  const reasoning = textIn(message['reasoning_content']) || textIn(message['reasoning']);
  const signed = Array.isArray(message['reasoning_details']);
  if (reasoning !== '' || signed) blocks.push({ type: 'reasoning', text: reasoning, signed });
  const text = textIn(message['content']) || textIn(message['refusal']);
  if (text.trim() !== '') blocks.push({ type: 'text', text });
  for (const [index, call] of callsOf(message).entries()) {
    const called = isJsonObject(call['function']) ? call['function'] : {};
    blocks.push({
      type: 'tool_call',
      id: turn.callIds[index] ?? '',
      name: textIn(called['name']),
      ...readLooseArguments(called['arguments']),
    });
  }
  return blocks;
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
