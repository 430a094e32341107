import type { JsonObject } from '../../core/json.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { CompletionEvent } from '../model.ts';
import { readArguments } from '../read-arguments.ts';
import type { UnreadInput } from './raw-turn.ts';

/** What has arrived of one streamed response. Mutable: a stream that breaks leaves what it had. */
export interface StreamedTurn {
  model: string | undefined;
  content: JsonObject[];
  unread: UnreadInput[];
  stopReason: string | undefined;
  stopDetails: Json;
  container: Json;
  usage: JsonObject;
  /** `message_stop` came: the turn is whole. */
  ended: boolean;
  /** Argument text per block index, until the block ends. */
  readonly partial: Map<number, string>;
}

export function startTurn(): StreamedTurn {
  return {
    model: undefined,
    content: [],
    unread: [],
    stopReason: undefined,
    stopDetails: null,
    container: null,
    usage: {},
    ended: false,
    partial: new Map(),
  };
}

/** Applies one raw event of the Messages API. Unknown events and deltas are passed over. */
export function applyEvent(
  turn: StreamedTurn,
  event: JsonObject,
  onEvent: (event: CompletionEvent) => void,
): void {
  switch (event['type']) {
    case 'message_start':
      return startMessage(turn, event['message']);
    case 'content_block_start':
      if (isJsonObject(event['content_block'])) {
        turn.content[indexOf(event)] = { ...event['content_block'] };
        announce(event['content_block'], onEvent);
      }
      return;
    case 'content_block_delta':
      if (isJsonObject(event['delta'])) {
        applyDelta(turn, indexOf(event), event['delta'], onEvent);
      }
      return;
    case 'content_block_stop':
      return endBlock(turn, indexOf(event));
    case 'message_delta':
      return applyMessageDelta(turn, event);
    case 'message_stop':
      for (const index of turn.partial.keys()) endBlock(turn, index);
      turn.ended = true;
      return;
    default:
      return;
  }
}

function startMessage(turn: StreamedTurn, message: Json | undefined): void {
  if (!isJsonObject(message)) return;
  turn.model = typeof message['model'] === 'string' ? message['model'] : undefined;
  turn.usage = isJsonObject(message['usage']) ? message['usage'] : {};
  turn.container = message['container'] ?? null;
}

function announce(block: JsonObject, onEvent: (event: CompletionEvent) => void): void {
  const text = textIn(block['text']);
  if (block['type'] === 'text' && text !== '') onEvent({ type: 'text', text });
}

function applyDelta(
  turn: StreamedTurn,
  index: number,
  delta: JsonObject,
  onEvent: (event: CompletionEvent) => void,
): void {
  const block = turn.content[index];
  if (block === undefined) return;
  const change = (fields: JsonObject): void => {
    turn.content[index] = { ...block, ...fields };
  };
  switch (delta['type']) {
    case 'text_delta':
      change({ text: textIn(block['text']) + textIn(delta['text']) });
      return onEvent({ type: 'text', text: textIn(delta['text']) });
    case 'thinking_delta':
      change({ thinking: textIn(block['thinking']) + textIn(delta['thinking']) });
      return onEvent({ type: 'reasoning', text: textIn(delta['thinking']) });
    case 'signature_delta':
      return change({ signature: textIn(delta['signature']) });
    case 'citations_delta': {
      const earlier = Array.isArray(block['citations']) ? (block['citations'] as Json[]) : [];
      return change({ citations: [...earlier, delta['citation'] ?? null] });
    }
    case 'input_json_delta': {
      const text = (turn.partial.get(index) ?? '') + textIn(delta['partial_json']);
      turn.partial.set(index, text);
      return;
    }
    case 'compaction_delta': {
      const { type: _, ...fields } = delta;
      return change(fields);
    }
    default:
      return;
  }
}

function endBlock(turn: StreamedTurn, index: number): void {
  const text = turn.partial.get(index);
  const block = turn.content[index];
  turn.partial.delete(index);
  if (text === undefined || text === '' || block === undefined) return;
  const read = readArguments(text);
  turn.content[index] = { ...block, input: read.input };
  if ('malformed' in read) turn.unread.push({ index, problem: read.malformed });
}

function applyMessageDelta(turn: StreamedTurn, event: JsonObject): void {
  const delta = isJsonObject(event['delta']) ? event['delta'] : {};
  if (typeof delta['stop_reason'] === 'string') turn.stopReason = delta['stop_reason'];
  if (isJsonObject(delta['stop_details'])) turn.stopDetails = delta['stop_details'];
  if (isJsonObject(delta['container'])) turn.container = delta['container'];
  if (isJsonObject(event['usage'])) {
    // The figures are cumulative: those that came replace those that the start had.
    const known = Object.entries(event['usage']).filter(([, value]) => value !== null);
    turn.usage = { ...turn.usage, ...Object.fromEntries(known) };
  }
}

function indexOf(event: JsonObject): number {
  return typeof event['index'] === 'number' ? event['index'] : 0;
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
