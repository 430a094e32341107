import { createHash } from 'node:crypto';
import type { Part } from '../../core/content.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type {
  AssistantMessage,
  Block,
  RequestMessage,
  ToolMessage,
} from '../../core/model-request.ts';
import { ANTHROPIC_FORMAT, asRawTurn } from './raw-turn.ts';

export interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const CALL_ID = /^[a-zA-Z0-9_-]+$/;

/** The messages in the API's form; neighbours of one role become one message. */
export function buildMessages(model: string, messages: readonly RequestMessage[]): ApiMessage[] {
  const built: ApiMessage[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = contentOf(model, message);
    const last = built.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else built.push({ role, content });
  }
  for (const message of built) putResultsFirst(message);
  return built;
}

function contentOf(model: string, message: RequestMessage): JsonObject[] {
  switch (message.role) {
    case 'user':
      return message.content.map(partBlock);
    case 'tool':
      return toolResults(message);
    case 'assistant':
      return assistantBlocks(model, message);
  }
}

/** The API wants all results of a message before its other content. */
function putResultsFirst({ content }: ApiMessage): void {
  const isResult = (block: JsonObject): boolean => block['type'] === 'tool_result';
  const ordered = [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
  content.splice(0, content.length, ...ordered);
}

function toolResults({ results }: ToolMessage): JsonObject[] {
  const blocks: JsonObject[] = [];
  const beside: JsonObject[] = [];
  for (const { callId, content, isError } of results) {
    const parts = content.map(partBlock);
    // An error result may hold text only: its images follow the results.
    const inside = isError ? parts.filter((part) => part['type'] === 'text') : parts;
    beside.push(...parts.filter((part) => !inside.includes(part)));
    blocks.push({
      type: 'tool_result',
      tool_use_id: apiCallId(callId),
      ...(inside.length === 0 ? {} : { content: inside }),
      ...(isError ? { is_error: true } : {}),
    });
  }
  return [...blocks, ...beside];
}

function assistantBlocks(model: string, message: AssistantMessage): JsonObject[] {
  const own = message.format === ANTHROPIC_FORMAT;
  const turn = own && message.raw !== null ? asRawTurn(message.raw) : undefined;
  if (turn === undefined) return message.blocks.flatMap((block) => renderBlock(block, own));
  // Thinking is bound to the model that thought it: another one refuses or drops it.
  return turn.model === model
    ? [...turn.content]
    : turn.content.filter(
        (block) => block['type'] !== 'thinking' && block['type'] !== 'redacted_thinking',
      );
}

/** A block of a turn that another adapter made, or that a repair changed. */
function renderBlock(block: Block, own: boolean): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'tool_call': {
      const input = isJsonObject(block.input) ? block.input : {};
      return [{ type: 'tool_use', id: apiCallId(block.id), name: block.name, input }];
    }
    case 'reasoning':
      return [];
    case 'opaque':
      return own && isJsonObject(block.value) ? [block.value] : [];
  }
}

/** Ids of other providers may have characters that the API refuses. */
function apiCallId(id: string): string {
  if (CALL_ID.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 48)}_${digest}`;
}

function partBlock(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType, name } = part;
  const title = name === undefined ? {} : { title: name };
  if (data !== undefined && part.type === 'image' && IMAGE_TYPES.has(mediaType)) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
  }
  if (data !== undefined && mediaType === 'application/pdf') {
    const source = { type: 'base64', media_type: mediaType, data };
    return { type: 'document', source, ...title };
  }
  if (data !== undefined && mediaType.startsWith('text/')) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    const source = { type: 'text', media_type: 'text/plain', data: text };
    return { type: 'document', source, ...title };
  }
  const what = `${part.type} ${name ?? ''}`.trim();
  return { type: 'text', text: `[${what}: this model takes no ${mediaType}]` };
}
