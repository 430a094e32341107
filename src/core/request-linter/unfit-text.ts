import type { Block, RequestMessage } from '../model-request.ts';
import { oncePer } from '../once-per.ts';
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
    if (isFitMessage(message)) return message;
    const isTurn = message.role === 'assistant';
    report(`messages[${index}]`, `${UNFIT_REPLACED}${isTurn ? lossOf(message) : ''}`);
    if (isTurn) return rewrittenTurn(message, fit(message.blocks) as readonly Block[]);
    return fit(message) as typeof message;
  });

function isFitMessage(message: RequestMessage): boolean {
  switch (message.role) {
    case 'user':
      return message.content.every(isFit);
    case 'tool':
      return message.results.every(isFit);
    case 'assistant':
      return isFit(message.blocks) && isFit(message.raw);
  }
}

const isFitObject = oncePer((value: object) => fit(value) === value);

/** Whether `fit` would leave it as it is. */
export function isFit(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? isFitObject(value) : fit(value) === value;
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
