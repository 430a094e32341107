import { textOf } from './content.ts';
import { cutText } from './cut-text.ts';
import type { Entry, View } from './entry.ts';
import { isBlobReference } from './stored.ts';

/** What a user asked for in a turn, word for word: every later completion's input carries it. */
export type SaidInTurn = NonNullable<NonNullable<View['summary']>['said']>;

const MAX_CHARACTERS = 4_000;

/**
 * What users said in the running turn, and a summary of everything before `upTo` would hide: it is
 * yet to be answered. The conversation's first message is always shown, and not said twice.
 */
export function saidInTurn(
  { entries, view }: { readonly entries: readonly Entry[]; readonly view: View | undefined },
  { upTo, turn }: { readonly upTo: number; readonly turn: number },
): SaidInTurn | undefined {
  const before = view?.summary?.said?.turn === turn ? view.summary.said.text : undefined;
  const from = before === undefined ? 0 : (view?.summary?.upTo ?? 0);
  const first = entries.findIndex(({ kind }) => kind === 'user');
  const words = entries.slice(from, upTo).flatMap((entry, index) => {
    if (entry.kind !== 'user' || entry.turn !== turn || from + index === first) return [];
    const { content } = entry;
    return [isBlobReference(content) ? `${content.preview} […]` : textOf(content)];
  });
  const text = [...(before === undefined ? [] : [before]), ...words].join('\n\n');
  return text === '' ? undefined : { turn, text: cutText(text, MAX_CHARACTERS) };
}
