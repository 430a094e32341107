import { type Part, textOf } from '../../core/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { AssistantMessage, RequestMessage, ToolMessage } from '../../core/model-request.ts';
import { asRawTurn, RESPONSES_FORMAT, type RawTurn } from './raw-turn.ts';

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Our id of a call → the id that the service gave it. */
type CallIds = Map<string, string>;

/** The dialogue as input items. */
export function buildInput(model: string, messages: readonly RequestMessage[]): JsonObject[] {
  const ids: CallIds = new Map();
  return messages.flatMap((message) => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: message.content.map(partOf) }];
      case 'tool':
        return outputs(message, ids);
      case 'assistant':
        return turnItems(model, message, ids);
    }
  });
}

function outputs({ results }: ToolMessage, ids: CallIds): JsonObject[] {
  return results.map(({ callId, content }) => ({
    type: 'function_call_output',
    call_id: ids.get(callId) ?? callId,
    output: content.every((part) => part.type === 'text') ? textOf(content) : content.map(partOf),
  }));
}

function turnItems(model: string, message: AssistantMessage, ids: CallIds): JsonObject[] {
  const own = message.format === RESPONSES_FORMAT && message.raw !== null;
  const turn = own ? asRawTurn(message.raw) : undefined;
  return turn === undefined || turn.model !== model ? fromBlocks(message) : fromRaw(turn, ids);
}

/** Items go back as they came; reasoning that the service cannot decrypt again is left out. */
function fromRaw({ output, callIds }: RawTurn, ids: CallIds): JsonObject[] {
  const isLost = (item: JsonObject): boolean =>
    item['type'] === 'reasoning' && typeof item['encrypted_content'] !== 'string';
  const someLost = output.some(isLost);
  const given = output.map((item) => item['call_id']);
  let calls = 0;
  return output
    .filter((item) => !isLost(item))
    .map((item) => {
      // An item's id names the reasoning that it needs: without that, it needs none.
      const kept = someLost ? withoutId(item) : item;
      if (item['type'] !== 'function_call') return kept;
      const ours = callIds[calls] ?? '';
      calls += 1;
      const theirs = item['call_id'];
      const tellsApart =
        typeof theirs === 'string' &&
        theirs !== '' &&
        given.filter((other) => other === theirs).length === 1;
      const call_id = tellsApart ? theirs : ours;
      ids.set(ours, call_id);
      return { ...kept, call_id, arguments: asObjectText(item['arguments']) };
    });
}

function withoutId({ id: _, ...item }: JsonObject): JsonObject {
  return item;
}

/** Arguments that could not be read were answered with an error; what goes back must be valid. */
function asObjectText(sent: Json | undefined): string {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent ?? {});
  try {
    return isJsonObject(JSON.parse(text)) ? text : '{}';
  } catch {
    return '{}';
  }
}

/** A turn that another model or adapter made, or that a repair changed. */
function fromBlocks({ blocks }: AssistantMessage): JsonObject[] {
  return blocks.flatMap((block): JsonObject[] => {
    if (block.type === 'text' && block.text.trim() !== '') {
      return [{ role: 'assistant', content: block.text }];
    }
    if (block.type !== 'tool_call') return [];
    const input = isJsonObject(block.input) ? block.input : {};
    const call = { call_id: block.id, name: block.name, arguments: JSON.stringify(input) };
    return [{ type: 'function_call', ...call }];
  });
}

function partOf(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const { data, mediaType, name } = part;
  if (data !== undefined && mediaType.startsWith('text/')) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    return { type: 'input_text', text: `${name ?? part.type}:\n${text}` };
  }
  const url = `data:${mediaType};base64,${data ?? ''}`;
  if (data !== undefined && IMAGE_TYPES.has(mediaType)) {
    return { type: 'input_image', image_url: url, detail: 'auto' };
  }
  if (data !== undefined && mediaType === 'application/pdf') {
    return { type: 'input_file', filename: name ?? 'document.pdf', file_data: url };
  }
  const what = `${part.type} ${name ?? ''}`.trim();
  return { type: 'input_text', text: `[${what}: this model takes no ${mediaType}]` };
}
