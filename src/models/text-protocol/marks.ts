import { createHash } from 'node:crypto';

const MARK_CHARACTERS = 10;

/**
 * The word that every mark of a conversation carries. The same after a restart, and not to be
 * guessed by who writes a document that the model reads.
 */
export function markOf(conversationId: string, secret: string): string {
  return createHash('sha256')
    .update(`perdure text protocol\n${secret}\n${conversationId}`)
    .digest('hex')
    .slice(0, MARK_CHARACTERS);
}

export function openMark(mark: string, words: string): string {
  return `[[${mark} ${words}]]`;
}

export function endMark(mark: string): string {
  return openMark(mark, 'end');
}

/** Where a model has nothing more to say: the end, and a result, which only we write. */
export function stopSequences(mark: string): readonly string[] {
  return [endMark(mark), `[[${mark} result`];
}

export interface FoundMark {
  /** The words after the mark's own. */
  readonly words: string;
  readonly start: number;
  readonly end: number;
}

/** All marks of a text, in order. */
export function findMarks(text: string, mark: string): readonly FoundMark[] {
  return [...text.matchAll(new RegExp(`\\[\\[${mark}\\b([^\\]\\n]*)\\]\\]`, 'g'))].map((match) => ({
    words: (match[1] ?? '').trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Text from outside with the conversation's word struck out, so that no quotation of it is a mark. */
export function withoutMark(text: string, mark: string): string {
  return text.replaceAll(mark, `${mark.slice(0, 2)}…`);
}
