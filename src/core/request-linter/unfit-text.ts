import type { AssistantMessage, Block, RequestMessage } from '../model-request.ts';
import { mapSame } from './keep-same.ts';
import { lossOf, rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule } from './rule.ts';

const REPLACEMENT = '\ufffd';
/** Deeper values break parsers on the way; nobody means them. */
const MAXIMUM_DEPTH = 500;

export const UNFIT_REPLACED =
  'NUL characters and halves of surrogate pairs were replaced by U+FFFD, and what was nested too deeply was cut';

/** Characters that no model API takes become U+FFFD, wherever they are. */
export const unfitText: MessageRule = (messages, { report }) =>
  mapSame(messages, (message, index) => {
    const mended =
      message.role === 'assistant' ? mendTurn(message) : (fit(message) as typeof message);
    if (mended === message) return message;
    const loss = message.role === 'assistant' ? lossOf(message) : '';
    report(`messages[${index}]`, `${UNFIT_REPLACED}${loss}`);
    return mended;
  });

function mendTurn(message: AssistantMessage): RequestMessage {
  const blocks = fit(message.blocks) as readonly Block[];
  const isRawFit = message.raw === null || fit(message.raw) === message.raw;
  if (blocks === message.blocks && isRawFit) return message;
  return rewrittenTurn(message, blocks);
}

/** A value with every text in it made fit, cut at a depth that parsers take; the very same value when all is. */
export function fit(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return fitText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAXIMUM_DEPTH) return '[nested too deeply]';
  if (Array.isArray(value)) return mapSame<unknown>(value, (item) => fit(item, depth + 1));
  const entries = Object.entries(value);
  const fitted = mapSame<readonly [string, unknown]>(entries, (entry) => {
    const [key, item] = entry;
    const [name, after] = [fitText(key), fit(item, depth + 1)];
    return name === key && after === item ? entry : [name, after];
  });
  return fitted === entries ? value : Object.fromEntries(fitted);
}

/** ES2024, in every Node that we run on; far faster than a search by pattern. */
interface WellFormedText {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

function fitText(text: string): string {
  const wellFormed = text as string & WellFormedText;
  const isFit = wellFormed.isWellFormed() && !text.includes('\0');
  return isFit ? text : wellFormed.toWellFormed().replaceAll('\0', REPLACEMENT);
}
