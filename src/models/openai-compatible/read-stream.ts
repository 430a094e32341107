import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { CompletionEvent } from '../model.ts';
import { mergeFields } from './merge-fields.ts';

/** What has arrived of one streamed response. Mutable: a stream that breaks leaves what it had. */
export interface StreamedTurn {
  id: string | undefined;
  model: string | undefined;
  /** The message's fields beside `content` and `tool_calls`. */
  fields: JsonObject;
  text: string;
  calls: StreamedCall[];
  finishReason: string | undefined;
  usage: JsonObject | undefined;
}

export interface StreamedCall {
  /** Which index the server gave it; several may have the same. */
  readonly slot: number;
  id: string;
  name: string;
  arguments: Json;
  /** The call's fields beside these. */
  fields: JsonObject;
}

type OnEvent = (event: CompletionEvent) => void;

export function startTurn(): StreamedTurn {
  return {
    id: undefined,
    model: undefined,
    fields: {},
    text: '',
    calls: [],
    finishReason: undefined,
    usage: undefined,
  };
}

/** Applies one chunk of a chat completion stream. */
export function applyChunk(turn: StreamedTurn, chunk: JsonObject, onEvent: OnEvent): void {
  if (typeof chunk['model'] === 'string' && chunk['model'] !== '') turn.model = chunk['model'];
  if (typeof chunk['id'] === 'string' && chunk['id'] !== '') turn.id ??= chunk['id'];
  const elsewhere = isJsonObject(chunk['x_groq']) ? chunk['x_groq']['usage'] : undefined;
  const usage = chunk['usage'] ?? elsewhere;
  if (isJsonObject(usage)) turn.usage = usage;
  const choice = Array.isArray(chunk['choices']) ? (chunk['choices'] as Json[])[0] : undefined;
  if (!isJsonObject(choice)) return;
  if (isJsonObject(choice['delta'])) applyDelta(turn, choice['delta'], onEvent);
  if (typeof choice['finish_reason'] === 'string') turn.finishReason = choice['finish_reason'];
}

function applyDelta(turn: StreamedTurn, delta: JsonObject, onEvent: OnEvent): void {
  const { content, tool_calls, role: _, ...fields } = delta;
  const text = textOfContent(content);
  if (text !== '') {
    turn.text += text;
    onEvent({ type: 'text', text });
  }
  const reasoning = fields['reasoning_content'] ?? fields['reasoning'];
  if (typeof reasoning === 'string' && reasoning !== '') {
    onEvent({ type: 'reasoning', text: reasoning });
  }
  turn.fields = mergeFields(turn.fields, fields);
  if (!Array.isArray(tool_calls)) return;
  for (const piece of tool_calls as Json[]) if (isJsonObject(piece)) applyCall(turn, piece);
}

/** Some servers stream content as parts. */
function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Json[])
    .map((part) => (isJsonObject(part) && part['type'] === 'text' ? part['text'] : ''))
    .filter((text) => typeof text === 'string')
    .join('');
}

function applyCall(turn: StreamedTurn, piece: JsonObject): void {
  const { index, id, type: _, function: called, ...fields } = piece;
  const { name, arguments: sent, ...inner } = isJsonObject(called) ? called : {};
  const slot = typeof index === 'number' ? index : (turn.calls.at(-1)?.slot ?? 0);
  const open = turn.calls.findLast((call) => call.slot === slot);
  const sentId = typeof id === 'string' ? id : '';
  const sentName = typeof name === 'string' ? name : '';
  const call =
    open === undefined || beginsAnother(open, sentId, sentName)
      ? { slot, id: sentId, name: '', arguments: null, fields: {} }
      : open;
  if (call !== open) turn.calls.push(call);
  if (call.id === '') call.id = sentId;
  if (call.name === '') call.name = sentName;
  call.arguments = joinArguments(call.arguments, sent);
  call.fields = mergeFields(
    call.fields,
    Object.keys(inner).length === 0 ? fields : { ...fields, function: inner },
  );
}

/** Servers that give every call the index 0, or none, show a new one by a new id, or by a name again. */
function beginsAnother(open: StreamedCall, id: string, name: string): boolean {
  if (id !== '' && open.id !== '') return id !== open.id;
  return name !== '' && open.name !== '' && (name !== open.name || isWhole(open.arguments));
}

function isWhole(sent: Json): boolean {
  if (typeof sent !== 'string') return isJsonObject(sent);
  try {
    JSON.parse(sent);
    return true;
  } catch {
    return false;
  }
}

function joinArguments(earlier: Json, sent: Json | undefined): Json {
  if (sent === undefined || sent === null) return earlier;
  return typeof earlier === 'string' && typeof sent === 'string' ? earlier + sent : sent;
}
