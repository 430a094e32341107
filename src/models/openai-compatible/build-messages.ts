import { type Part, textOf } from '../../core/content.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { RequestMessage, ToolMessage } from '../../core/model-request.ts';
import { assistantMessages, type CallIds } from './assistant-messages.ts';
import { oneCallAMessage } from './one-call-a-message.ts';
import type { Quirks } from './quirks.ts';

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** The messages in the form of Chat Completions, as this server takes them. */
export function buildMessages(
  model: string,
  request: { readonly system: string; readonly messages: readonly RequestMessage[] },
  quirks: Quirks,
): JsonObject[] {
  const ids: CallIds = new Map();
  const all = request.messages.flatMap((message) => buildMessage(model, message, { quirks, ids }));
  const built = quirks.parallelCalls ? all : oneCallAMessage(all);
  const system = request.system.trim() === '' ? undefined : request.system;
  if (system === undefined) return quirks.alternateRoles ? alternate(built) : built;
  const withSystem: JsonObject[] =
    quirks.systemRole === 'user'
      ? [{ role: 'user', content: system }, ...built]
      : [{ role: quirks.systemRole, content: system }, ...built];
  // Instructions said by the user and the first message are neighbours of one role.
  return quirks.alternateRoles || quirks.systemRole === 'user' ? alternate(withSystem) : withSystem;
}

function buildMessage(
  model: string,
  message: RequestMessage,
  { quirks, ids }: { readonly quirks: Quirks; readonly ids: CallIds },
): JsonObject[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: contentOf(message.content, quirks) }];
    case 'assistant':
      return assistantMessages(model, message, { quirks, ids });
    case 'tool':
      return toolMessages(message, quirks, ids);
  }
}

/** One message per result; what a result may not hold follows as a user message. */
function toolMessages({ results }: ToolMessage, quirks: Quirks, ids: CallIds): JsonObject[] {
  const messages: JsonObject[] = [];
  const beside: Part[] = [];
  for (const { callId, tool, content } of results) {
    const text = content.filter((part) => part.type === 'text');
    const rest = content.filter((part) => part.type !== 'text');
    const words = textOf(text);
    messages.push(
      quirks.toolRole
        ? { role: 'tool', tool_call_id: ids.get(callId) ?? callId, content: words }
        : { role: 'user', content: `Result of ${tool} (call ${callId}):\n${words}` },
    );
    if (rest.length > 0)
      beside.push({ type: 'text', text: `From the result of ${tool}:` }, ...rest);
  }
  if (beside.length > 0) messages.push({ role: 'user', content: contentOf(beside, quirks) });
  return messages;
}

function contentOf(parts: readonly Part[], quirks: Quirks): Json {
  const built = parts.map((part) => partOf(part, quirks));
  const texts = built.map((part) => part['text']).filter((text) => typeof text === 'string');
  return texts.length === built.length ? texts.join('\n') : built;
}

function partOf(part: Part, quirks: Quirks): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType, name } = part;
  if (data !== undefined && mediaType.startsWith('text/')) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    return { type: 'text', text: `${name ?? part.type}:\n${text}` };
  }
  if (data !== undefined && quirks.contentParts) {
    const url = `data:${mediaType};base64,${data}`;
    if (IMAGE_TYPES.has(mediaType)) return { type: 'image_url', image_url: { url } };
    if (quirks.documents && mediaType === 'application/pdf') {
      return { type: 'file', file: { filename: name ?? 'document.pdf', file_data: url } };
    }
  }
  const what = `${part.type} ${name ?? ''}`.trim();
  return { type: 'text', text: `[${what}: this model takes no ${mediaType}]` };
}

/** Neighbours of one role as one message; messages with calls, and results, stay alone. */
function alternate(messages: readonly JsonObject[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const joins =
      last !== undefined &&
      last['role'] === message['role'] &&
      message['role'] !== 'tool' &&
      last['tool_calls'] === undefined &&
      message['tool_calls'] === undefined;
    if (joins) merged[merged.length - 1] = { ...last, ...message, content: joined(last, message) };
    else merged.push(message);
  }
  return merged;
}

function joined(last: JsonObject, message: JsonObject): Json {
  const [before, after] = [last['content'], message['content']];
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...partsIn(before), ...partsIn(after)];
}

function partsIn(content: Json | undefined): readonly Json[] {
  if (Array.isArray(content)) return content as readonly Json[];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [];
}
