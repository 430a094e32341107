import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Block } from '../../core/model-request.ts';
import { readLooseArguments } from '../read-loose-arguments.ts';

export const RESPONSES_FORMAT = 'openai-responses';

/** The recorded form of an assistant turn. */
export interface RawTurn {
  /** The model that was asked: only it gets its reasoning back. */
  readonly model: string;
  /** The response's output items as they came. */
  readonly output: readonly JsonObject[];
  /** Our id of each function call, in order. */
  readonly callIds: readonly string[];
}

/** Undefined when the value is no turn of this adapter. */
export function asRawTurn(raw: Json): RawTurn | undefined {
  if (!isJsonObject(raw) || !Array.isArray(raw['output']) || !Array.isArray(raw['callIds'])) {
    return undefined;
  }
  return raw['output'].every(isJsonObject) ? (raw as unknown as RawTurn) : undefined;
}

/** The neutral view of a recorded turn. */
export function viewRawTurn(raw: Json): readonly Block[] {
  const turn = asRawTurn(raw);
  if (turn === undefined) return [];
  let calls = 0;
  return turn.output.flatMap((item): readonly Block[] => {
    switch (item['type']) {
      case 'message':
        return textBlocks(item);
      case 'reasoning':
        return [
          {
            type: 'reasoning',
            text: partsIn(item['summary']).map(textIn).join('\n'),
            signed: typeof item['encrypted_content'] === 'string',
          },
        ];
      case 'function_call': {
        const id = turn.callIds[calls] ?? '';
        calls += 1;
        const name = typeof item['name'] === 'string' ? item['name'] : '';
        return [{ type: 'tool_call', id, name, ...readLooseArguments(item['arguments']) }];
      }
      default:
        return [{ type: 'opaque', value: item }];
    }
  });
}

/** Whether the model refused, in words of its own. */
export function hasRefusal({ output }: RawTurn): boolean {
  return output.some((item) => partsIn(item['content']).some((part) => part['type'] === 'refusal'));
}

function textBlocks(message: JsonObject): readonly Block[] {
  const text = partsIn(message['content']).map(textIn).join('');
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function partsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textIn(part: JsonObject): string {
  const text = part['text'] ?? part['refusal'];
  return typeof text === 'string' ? text : '';
}
