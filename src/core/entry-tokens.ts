import type { Content } from './content.ts';
import type { Entry, View } from './entry.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import { isBlobReference, PREVIEW_CHARACTERS, type Stored } from './stored.ts';

/** A result that is shown cut: its beginning, and a line that says so. */
const CUT_RESULT_TOKENS = estimatedTokens('x'.repeat(PREVIEW_CHARACTERS + 80));
const BYTES_PER_TOKEN = 3.2;

/** About how many tokens an entry costs when it is shown whole. */
export function entryTokens(entry: Entry): number {
  switch (entry.kind) {
    case 'user':
    case 'summary':
      return storedTokens(entry.content);
    case 'result':
      return storedTokens(entry.shownAs ?? entry.content);
    case 'assistant':
      return isBlobReference(entry.raw)
        ? bytesTokens(entry.raw.size)
        : estimatedTokens(JSON.stringify(entry.raw));
    case 'note':
      return entry.shown ? estimatedTokens(entry.text) : 0;
  }
}

/** About how many tokens a transcript costs under a view, by the tokens of its entries shown whole. */
export function tokensUnder(
  view: View | undefined,
  entries: readonly Entry[],
  whole: readonly number[],
): number {
  const first = entries.findIndex((entry) => entry.kind === 'user');
  const from = view?.summary?.upTo ?? 0;
  const cutBefore = view?.cutBefore ?? 0;
  const { content = '', said } = view?.summary ?? {};
  let tokens = storedTokens(content) + estimatedTokens(said?.text ?? '');
  entries.forEach(({ kind }, n) => {
    if (kind === 'summary' || (n < from && n !== first)) return;
    const size = whole[n] ?? 0;
    tokens += kind === 'result' && n < cutBefore ? Math.min(size, CUT_RESULT_TOKENS) : size;
  });
  return tokens;
}

function storedTokens(content: Stored<Content>): number {
  return isBlobReference(content) ? bytesTokens(content.size) : estimatedTokens(content);
}

function bytesTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
