import { isJsonObject, type Json } from '../../core/json.ts';
import type { Block } from '../../core/model-request.ts';
import { endMark } from './marks.ts';
import { parseReply } from './parse-reply.ts';

export const TEXT_FORMAT = 'text';

/** The recorded form of an assistant turn. */
export interface RawTurn {
  /** The reply without its reasoning, up to the end of its envelope. */
  readonly text: string;
  readonly reasoning?: string;
  /** The word of its marks; null for a reply that is no envelope: cut before it, or refused. */
  readonly mark: string | null;
  /** Our id of each call, in order. */
  readonly callIds: readonly string[];
  /** Set when the reply was cut: its envelope has no end. */
  readonly cut?: boolean;
  /** Set when the prose before an answer is no part of it, because the answer is JSON. */
  readonly answerOnly?: boolean;
  /** Why earlier tries at this reply could not be used. */
  readonly repairs?: readonly string[];
}

/** Undefined when the value is no turn of this adapter. */
export function asRawTurn(raw: Json): RawTurn | undefined {
  const fits =
    isJsonObject(raw) &&
    typeof raw['text'] === 'string' &&
    (raw['mark'] === null || typeof raw['mark'] === 'string') &&
    Array.isArray(raw['callIds']);
  return fits ? (raw as unknown as RawTurn) : undefined;
}

/** The turn as it goes back to the model. */
export function sentText({ text, mark, cut }: RawTurn): string {
  return cut === true && mark !== null ? `${text}\n${endMark(mark)}` : text;
}

/** The neutral view of a recorded turn. */
export function viewRawTurn(raw: Json): readonly Block[] {
  const turn = asRawTurn(raw);
  if (turn === undefined) return [];
  const reasoning: readonly Block[] =
    turn.reasoning === undefined
      ? []
      : [{ type: 'reasoning', text: turn.reasoning, signed: false }];
  return [...reasoning, ...viewText(turn)];
}

function viewText(turn: RawTurn): readonly Block[] {
  const reply =
    turn.mark === null ? undefined : parseReply(turn.text, turn.mark, turn.cut !== true);
  if (reply === undefined || reply.kind === 'broken') return textBlock(turn.text);
  if (reply.kind === 'answer') {
    const before = turn.answerOnly === true || reply.prose === '' ? '' : `${reply.prose}\n\n`;
    return textBlock(before + reply.text);
  }
  const calls = reply.calls.map(({ name, input, malformed }, index): Block => {
    const id = turn.callIds[index] ?? '';
    return {
      type: 'tool_call',
      id,
      name,
      input,
      ...(malformed === undefined ? {} : { malformed }),
    };
  });
  return [...textBlock(reply.prose), ...calls];
}

function textBlock(text: string): readonly Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}
