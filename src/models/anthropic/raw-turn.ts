import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Block } from '../../core/model-request.ts';

export const ANTHROPIC_FORMAT = 'anthropic';

/** The recorded form of an assistant turn: the content blocks as they came, and what goes with them. */
export interface RawTurn {
  /** The model that was asked: only it may get its own thinking back. */
  readonly model: string;
  /** The API's blocks, sent back unchanged. */
  readonly content: readonly JsonObject[];
  /** Calls whose arguments could not be read; their block has `input: {}`, which the API takes back. */
  readonly unread?: readonly UnreadInput[];
  /** The container of hosted code execution, to go on in. */
  readonly container?: { readonly id: string; readonly expires_at: string };
}

export interface UnreadInput {
  /** Index into `content`. */
  readonly index: number;
  readonly problem: string;
}

/** Undefined when the value is no turn of this adapter. */
export function asRawTurn(raw: Json): RawTurn | undefined {
  if (!isJsonObject(raw) || !Array.isArray(raw['content'])) return undefined;
  return raw['content'].every(isJsonObject) ? (raw as unknown as RawTurn) : undefined;
}

/** The neutral view of a recorded turn. */
export function viewRawTurn(raw: Json): readonly Block[] {
  const turn = asRawTurn(raw);
  if (turn === undefined) return [];
  return turn.content.map((block, index) =>
    viewBlock(block, turn.unread?.find((unread) => unread.index === index)?.problem),
  );
}

function viewBlock(block: JsonObject, unread: string | undefined): Block {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: textIn(block['text']) };
    case 'thinking':
      return { type: 'reasoning', text: textIn(block['thinking']), signed: true };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', signed: true };
    case 'tool_use':
      return {
        type: 'tool_call',
        id: textIn(block['id']),
        name: textIn(block['name']),
        input: block['input'] ?? {},
        ...(unread === undefined ? {} : { malformed: unread }),
      };
    default:
      return { type: 'opaque', value: block };
  }
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
