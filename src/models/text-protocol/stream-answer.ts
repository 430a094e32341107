import { findMarks } from './marks.ts';
import { stripReasoning } from './strip-reasoning.ts';

/**
 * Shows an answer while it is written: what follows the answer's mark, up to the next one. Marks,
 * calls and reasoning are never shown, and nothing of a reply that may still turn out to be broken.
 */
export interface AnswerStream {
  /** Takes a piece of the reply; returns what can be shown now. */
  take(piece: string): string;
}

export function streamAnswer(
  mark: string,
  options: { readonly answerOnly: boolean },
): AnswerStream {
  const opening = `[[${mark}`;
  let seen = '';
  /** What has come since the answer's mark and was not shown. */
  let waiting: string | undefined;
  let isFirst = true;
  let isOver = false;

  const show = (): string => {
    const text = waiting ?? '';
    const next = text.indexOf(opening);
    if (next !== -1) isOver = true;
    const end = next === -1 ? safeEnd(text, opening) : withoutLineEnd(text, next);
    if (isFirst && text.slice(0, end).trim() === '') return '';
    const shown = text.slice(0, end);
    waiting = text.slice(end);
    if (!isFirst) return shown;
    isFirst = false;
    return shown.replace(/^[ \t]*\r?\n/, '');
  };

  return {
    take(piece) {
      if (isOver) return '';
      if (waiting !== undefined) {
        waiting += piece;
        return show();
      }
      seen += piece;
      if (!piece.includes(']')) return '';
      const reply = stripReasoning(seen, mark).text;
      const [first] = findMarks(reply, mark);
      if (first === undefined) return '';
      if (first.words !== 'answer') {
        isOver = true;
        return '';
      }
      waiting = reply.slice(first.end);
      const prose = options.answerOnly ? '' : reply.slice(0, first.start).trim();
      return (prose === '' ? '' : `${prose}\n\n`) + show();
    },
  };
}

/** Up to where no mark, and no line end before one, can have begun. */
function safeEnd(text: string, opening: string): number {
  let end = text.length;
  for (let length = Math.min(opening.length, text.length); length > 0; length -= 1) {
    if (text.endsWith(opening.slice(0, length))) {
      end -= length;
      break;
    }
  }
  return withoutLineEnd(text, end);
}

function withoutLineEnd(text: string, end: number): number {
  return end - (/\r?\n[ \t]*$/.exec(text.slice(0, end))?.[0].length ?? 0);
}
