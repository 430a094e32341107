import { partsOf, textOf, type Content, type Part } from './content.ts';
import { cutText } from './cut-text.ts';
import type { AssistantEntry, Entry, NoteEntry, ResultEntry, UserEntry, View } from './entry.ts';
import type { AssistantMessage, Block, RequestMessage, ToolResultPart } from './model-request.ts';
import { oncePer, oncePerList } from './once-per.ts';
import { isSigned, rewrittenTurn } from './request-linter/rewritten-turn.ts';
import { isBlobReference, PREVIEW_CHARACTERS, type BlobReference, type Stored } from './stored.ts';

/**
 * A transcript as the messages of a model request, under a view of it. Of what the view's summary
 * stands for, the first user message stays. The results of an assistant turn become one tool
 * message directly after it; what users said meanwhile follows. What the request linter mends is
 * not mended here. The same entries give the very same messages, so that what is true of a message
 * is found out once.
 */
export function renderTranscript(
  entries: readonly Entry[],
  view: View | undefined,
  blocksOf: (entry: AssistantEntry) => readonly Block[],
): RequestMessage[] {
  const messages: RequestMessage[] = [];
  let results: ToolResultPart[] = [];
  let said: Part[] = [];

  function endOfStep(): void {
    if (isFilled(results)) messages.push(toolMessage(results));
    if (isFilled(said)) messages.push(userMessage(said));
    results = [];
    said = [];
  }

  for (const { entry, n } of shownEntries(entries, view)) {
    switch (entry.kind) {
      case 'user':
        said.push(...partsOfUser(entry));
        break;
      case 'summary':
        said.push(...summaryParts(entry));
        break;
      case 'note':
        said.push(partOfNote(entry));
        break;
      case 'result':
        results.push(n < (view?.cutBefore ?? 0) ? cutResult(entry) : wholeResult(entry));
        break;
      case 'assistant': {
        endOfStep();
        const turn = assistantMessage(entry, blocksOf);
        messages.push(n < sinceOf(view) ? withoutSigned(turn) : turn);
        break;
      }
    }
  }
  endOfStep();
  return messages;
}

type ShownEntry = Exclude<Entry, { readonly kind: 'summary' }> | ShownSummary;

type ShownSummary = { readonly kind: 'summary' } & Pick<
  NonNullable<View['summary']>,
  'content' | 'said'
>;

function shownEntries(
  entries: readonly Entry[],
  view: View | undefined,
): readonly { readonly entry: ShownEntry; readonly n: number }[] {
  const summary = view?.summary;
  const from = Math.min(summary?.upTo ?? 0, entries.length);
  const first = entries.findIndex((entry) => entry.kind === 'user');
  const shown: { entry: ShownEntry; n: number }[] = [];
  entries.forEach((entry, n) => {
    if (n === from && summary !== undefined) shown.push({ entry: summaryOf(summary), n });
    if (n < from && n !== first) return;
    // Summaries are shown by the view alone: it says which one holds.
    if (entry.kind === 'summary' || (entry.kind === 'note' && !entry.shown)) return;
    shown.push({ entry, n });
  });
  if (from === entries.length && summary !== undefined) {
    shown.push({ entry: summaryOf(summary), n: from });
  }
  return shown;
}

function summaryOf({ content, said }: NonNullable<View['summary']>): ShownSummary {
  return { kind: 'summary', content, ...(said === undefined ? {} : { said }) };
}

function sinceOf(view: View | undefined): number {
  return view?.since ?? Math.max(view?.cutBefore ?? 0, view?.summary?.upTo ?? 0);
}

const toolMessage = oncePerList((results: readonly ToolResultPart[]): RequestMessage => ({
  role: 'tool',
  results,
}));
const userMessage = oncePerList((content: readonly Part[]): RequestMessage => ({
  role: 'user',
  content,
}));

function isFilled<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}

const turns = new WeakMap<AssistantEntry, AssistantMessage>();

function assistantMessage(
  entry: AssistantEntry,
  blocksOf: (entry: AssistantEntry) => readonly Block[],
): AssistantMessage {
  const { format, model, raw } = entry;
  if (isBlobReference(raw)) {
    return { role: 'assistant', format, model, raw: null, blocks: [lostPart(raw)] };
  }
  const blocks = blocksOf(entry);
  const known = turns.get(entry);
  if (known?.blocks === blocks) return known;
  const message: AssistantMessage = { role: 'assistant', format, model, raw, blocks };
  turns.set(entry, message);
  return message;
}

/** Signed reasoning is valid after the very messages that it was thought after. */
const withoutSigned = oncePer((message: AssistantMessage) =>
  message.blocks.some(isSigned) ? rewrittenTurn(message, message.blocks) : message,
);

const partsOfUser = oncePer((entry: UserEntry) => partsOfStored(entry.content));
const partOfNote = oncePer((entry: NoteEntry): Part => ({ type: 'text', text: entry.text }));
const wholeResult = oncePer((entry: ResultEntry) => resultPart(entry, contentOf(entry)));
const cutResult = oncePer((entry: ResultEntry) => resultPart(entry, cutParts(contentOf(entry))));

function resultPart(entry: ResultEntry, content: readonly Part[]): ToolResultPart {
  const { callId, tool, outcome } = entry;
  return { callId, tool, content, isError: outcome !== 'ok' };
}

function contentOf(entry: ResultEntry): readonly Part[] {
  return partsOfStored(entry.shownAs ?? entry.content);
}

/** The beginning of a result that is no longer shown whole. What is short stays as it is. */
function cutParts(content: readonly Part[]): readonly Part[] {
  const text = textOf(content);
  if (text.length <= PREVIEW_CHARACTERS && content.every((part) => part.type === 'text')) {
    return content;
  }
  const left = text.length - PREVIEW_CHARACTERS;
  const beginning = cutText(text, PREVIEW_CHARACTERS);
  const line =
    left > 0
      ? `[This older result is shown cut; some ${left} more characters are left out.]`
      : '[This older result is shown without its images and documents.]';
  return [{ type: 'text', text: `${beginning}\n${line}` }];
}

function summaryParts({ content, said }: ShownSummary): readonly Part[] {
  const line = '[Earlier messages are left out. This summary stands in their place:]';
  const parts: Part[] = [{ type: 'text', text: line }, ...partsOfStored(content)];
  if (said === undefined) return parts;
  const text = `[Of these messages, what the user said in this turn, word for word:]\n${said.text}`;
  return [...parts, { type: 'text', text }];
}

function partsOfStored(content: Stored<Content>): readonly Part[] {
  return isBlobReference(content) ? [lostPart(content)] : partsOf(content);
}

/** What stands for a content that could not be loaded. */
function lostPart({ blob, size, preview }: BlobReference): { type: 'text'; text: string } {
  const text = `[This content (${size} bytes, blob ${blob}) could not be loaded. It began: ${preview}]`;
  return { type: 'text', text };
}
