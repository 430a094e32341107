import type { AssistantMessage, Block, RequestMessage } from '../model-request.ts';
import { mapSame } from './keep-same.ts';
import { lossOf, rewrittenTurn } from './rewritten-turn.ts';
import type { MessageRule } from './rule.ts';

/** A NUL, or half of a surrogate pair: no valid UTF-8, or refused where it is. */
// oxlint-disable-next-line no-control-regex
const UNFIT = /\u0000|\p{Cs}/gu;
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
  let isSame = true;
  const entries = Object.entries(value).map(([key, before]: [string, unknown]) => {
    const after = fit(before, depth + 1);
    const name = fitText(key);
    if (after !== before || name !== key) isSame = false;
    return [name, after] as const;
  });
  return isSame ? value : Object.fromEntries(entries);
}

function fitText(text: string): string {
  return text.search(UNFIT) === -1 ? text : text.replace(UNFIT, REPLACEMENT);
}
