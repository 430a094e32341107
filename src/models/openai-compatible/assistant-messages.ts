import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { AssistantMessage } from '../../core/model-request.ts';
import type { Quirks } from './quirks.ts';
import { asRawTurn, callsOf, OPENAI_FORMAT, type RawTurn } from './raw-turn.ts';

/** Our id of a call → the id that this server gets for it, in the call and in its result. */
export type CallIds = Map<string, string>;

const KNOWN_FIELDS = new Set(['role', 'content', 'tool_calls', 'refusal']);

/** An assistant turn as messages: one, or one per call where the server takes no parallel calls. */
export function assistantMessages(
  model: string,
  message: AssistantMessage,
  { quirks, ids }: { readonly quirks: Quirks; readonly ids: CallIds },
): JsonObject[] {
  const own = message.format === OPENAI_FORMAT && message.raw !== null;
  const turn = own ? asRawTurn(message.raw) : undefined;
  const built = turn === undefined ? fromBlocks(message) : fromRaw(model, turn, { quirks, ids });
  const content = built['content'];
  const hasText = typeof content === 'string' && content.trim() !== '';
  const hasCalls = callsOf(built).length > 0;
  const refusal = built['refusal'];
  if (!hasText && !hasCalls && (typeof refusal !== 'string' || refusal === '')) return [];
  return [hasText ? built : withoutText(built, hasCalls, quirks)];
}

function fromRaw(
  model: string,
  turn: RawTurn,
  { quirks, ids }: { readonly quirks: Quirks; readonly ids: CallIds },
): JsonObject {
  const sameModel = turn.model === model;
  const fields = Object.entries(turn.message).filter(
    ([name]) =>
      name !== 'tool_calls' &&
      !quirks.dropFields.includes(name) &&
      (sameModel || KNOWN_FIELDS.has(name)),
  );
  const calls = callsOf(turn.message);
  const given = calls.map((call) => call['id']);
  const sent = calls.map((call, index) => {
    const ours = turn.callIds[index] ?? '';
    const id = call['id'];
    const tellsApart =
      typeof id === 'string' && id !== '' && given.filter((other) => other === id).length === 1;
    ids.set(ours, tellsApart ? id : ours);
    return { ...(sameModel ? call : plainCall(call)), id: tellsApart ? id : ours };
  });
  return {
    ...Object.fromEntries(fields),
    ...(sent.length === 0 ? {} : { tool_calls: sent.map(withTextArguments) }),
  };
}

function plainCall(call: JsonObject): JsonObject {
  const called = isJsonObject(call['function']) ? call['function'] : {};
  return {
    type: 'function',
    function: { name: called['name'] ?? '', arguments: called['arguments'] ?? '' },
  };
}

/** However a server sent the arguments, back they go as the text that the API defines, and as valid JSON. */
function withTextArguments(call: JsonObject): JsonObject {
  const called = isJsonObject(call['function']) ? call['function'] : {};
  const sent = called['arguments'];
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent ?? {});
  return { ...call, function: { ...called, arguments: isObjectText(text) ? text : '{}' } };
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** A turn that another adapter made, or that a repair changed. */
function fromBlocks({ blocks }: AssistantMessage): JsonObject {
  const text = blocks
    .map((block) => (block.type === 'text' ? block.text : ''))
    .filter((words) => words.trim() !== '')
    .join('\n');
  const calls = blocks
    .filter((block) => block.type === 'tool_call')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(isJsonObject(input) ? input : {}) },
    }));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function withoutText(built: JsonObject, hasCalls: boolean, quirks: Quirks): JsonObject {
  const { content: _, ...rest } = built;
  if (!hasCalls) return { ...rest, content: null };
  const empty: Json | undefined = { null: null, string: '', omit: undefined }[quirks.emptyContent];
  return empty === undefined ? rest : { role: 'assistant', content: empty, ...rest };
}
