import { isJsonObject } from '../json.ts';
import type { ModelRequest, RequestMessage } from '../model-request.ts';
import { toolNameProblem } from '../names.ts';
import { oncePer } from '../once-per.ts';
import { utf8Bytes } from '../slices.ts';
import type { LintLimits } from './rule.ts';

/** What no repair can mend. The conversation stays usable: a message, a compaction or a new tool set helps. */
export interface LintProblem {
  readonly type: 'too_large' | 'invalid_tools';
  readonly at: string;
  /** What was expected, what came, what to do. */
  readonly message: string;
}

/** JSON writes a character with at most this many bytes. */
const BYTES_PER_CHARACTER = 6;
/** Quotes, commas and braces around a value; more than any value needs. */
const BYTES_PER_VALUE = 32;
/** A message's role and the names of its members. */
const BYTES_AROUND_PARTS = 256;

export function requestProblem(request: ModelRequest, limits: LintLimits): LintProblem | undefined {
  return toolProblem(request) ?? sizeProblem(request, limits);
}

function toolProblem({ tools }: ModelRequest): LintProblem | undefined {
  const names = new Set<string>();
  for (const [index, { name, inputSchema }] of tools.entries()) {
    const problem =
      toolNameProblem(name) ??
      (names.has(name) ? `there is another tool named "${name}"; rename one` : undefined) ??
      schemaProblem(inputSchema);
    if (problem !== undefined) {
      return {
        type: 'invalid_tools',
        at: `tools[${index}]`,
        message: `tool "${name}": ${problem}`,
      };
    }
    names.add(name);
  }
  return undefined;
}

function schemaProblem(schema: unknown): string | undefined {
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  if (!isJsonObject(schema) || type !== 'object') {
    return `expected an input schema with "type": "object" at its root, got ${JSON.stringify(type)}; wrap it in an object`;
  }
  const combined = ['oneOf', 'anyOf', 'allOf'].find((keyword) => keyword in schema);
  if (combined === undefined) return undefined;
  return `model APIs take no "${combined}" at the root of an input schema; put it into a property`;
}

function sizeProblem(request: ModelRequest, limits: LintLimits): LintProblem | undefined {
  const { messages } = request;
  if (messages.length > limits.messages) {
    const message = `the request has ${messages.length} messages, at most ${limits.messages} can be sent; compact the conversation`;
    return { type: 'too_large', at: 'messages', message };
  }
  const ofMessages = messages.reduce((sum, message) => sum + mostBytesOfMessage(message), 0);
  if (ofMessages + mostBytesOfSettings(request) <= limits.bodyBytes) return undefined;
  const sent = messages.map((message) =>
    message.role === 'assistant' ? (message.raw ?? message.blocks) : message,
  );
  const whole = { ...request, messages: sent };
  const bytes = utf8Bytes(JSON.stringify(whole));
  if (bytes <= limits.bodyBytes) return undefined;
  const sizes = sent.map((message) => utf8Bytes(JSON.stringify(message)));
  const largest = sizes.indexOf(Math.max(...sizes));
  const message = `the request has ${bytes} bytes, at most ${limits.bodyBytes} can be sent; the largest message has ${sizes[largest] ?? 0}: compact the conversation, or send less in one message`;
  return { type: 'too_large', at: `messages[${largest}]`, message };
}

function mostBytesOfSettings({ messages: _, ...settings }: ModelRequest): number {
  return Object.entries(settings).reduce(
    (sum, [name, value]) => sum + mostBytes(name) + mostBytesOnce(value),
    BYTES_AROUND_PARTS,
  );
}

const mostBytesOfObject = oncePer((value: object) => mostBytes(value));

function mostBytesOnce(value: unknown): number {
  return typeof value === 'object' && value !== null ? mostBytesOfObject(value) : mostBytes(value);
}

function mostBytesOfMessage(message: RequestMessage): number {
  if (message.role === 'assistant') return mostBytesOnce(message.raw ?? message.blocks);
  const parts = message.role === 'user' ? message.content : message.results;
  return parts.reduce((sum, part) => sum + mostBytesOnce(part), BYTES_AROUND_PARTS);
}

/** A bound that needs no serialising: nearly every request is far below the limit. */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * BYTES_PER_CHARACTER + BYTES_PER_VALUE;
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE;
  let bytes = BYTES_PER_VALUE;
  for (const [key, item] of Object.entries(value)) bytes += mostBytes(key) + mostBytes(item);
  return bytes;
}
