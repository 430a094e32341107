import { partsOf, type Content, type Part } from './content.ts';
import { cutText } from './cut-text.ts';
import type { Effect } from './effect.ts';
import { EDITED_LINE, outcomeText, type Outcome } from './outcome.ts';

export interface ShownSettings {
  /** Characters of text that the model is shown of one result. */
  readonly maxResultChars: number;
  /** The tool's effect: only what reads may be called again to see more. */
  readonly effect: Effect;
  /** Whether a person changed the arguments. */
  readonly edited: boolean;
}

/** A result's whole content, and what the model is shown of it where that is something else. */
export interface ShownResult {
  readonly content: Content;
  readonly shownAs?: Content;
  /** Whether `shownAs` leaves text of `content` out. */
  readonly cut: boolean;
}

/** What the model is shown of what a tool returned. */
export function shownOutput(content: Content, settings: ShownSettings): ShownResult {
  const shown = cutContent(content, settings);
  return shownResult(content, shown, settings);
}

/** The text form of an error result: a message that is too long is cut, its category and effect never. */
export function shownError(outcome: Outcome, settings: ShownSettings): ShownResult {
  const message = cutContent(outcome.message, settings) as string;
  return shownResult(outcomeText(outcome), outcomeText({ ...outcome, message }), settings);
}

function shownResult(content: Content, shown: Content, settings: ShownSettings): ShownResult {
  const cut = shown !== content;
  const shownAs = settings.edited ? withLine(shown, EDITED_LINE) : shown;
  return shownAs === content ? { content, cut } : { content, shownAs, cut };
}

/** The content itself when it fits; else its beginning, and a line that says what is left out. */
function cutContent(content: Content, { maxResultChars, effect }: ShownSettings): Content {
  const total = partsOf(content).reduce(
    (sum, part) => sum + (part.type === 'text' ? part.text.length : 0),
    0,
  );
  if (total <= maxResultChars) return content;
  let shown = 0;
  const kept: Part[] = [];
  for (const part of partsOf(content)) {
    if (part.type !== 'text') {
      kept.push(part);
      continue;
    }
    const text = cutText(part.text, maxResultChars - shown);
    shown += text.length;
    if (text !== '') kept.push({ type: 'text', text });
  }
  const line = cutLine(shown, total, effect);
  return typeof content === 'string'
    ? withLine(kept.map((part) => (part.type === 'text' ? part.text : '')).join(''), line)
    : withLine(kept, line);
}

function cutLine(shown: number, total: number, effect: Effect): string {
  const readOn =
    effect === 'read'
      ? 'To read on, call the tool again for a later or a smaller part.'
      : 'The rest is kept with the conversation; do not repeat the call to see it.';
  return `[The first ${shown} of ${total} characters are shown, ${total - shown} are left out. ${readOn}]`;
}

function withLine(content: Content, line: string): Content {
  if (typeof content !== 'string') return [...content, { type: 'text', text: line }];
  return content === '' ? line : `${content}\n${line}`;
}
