/** Code units around the cut in which whole characters are looked for. */
const WINDOW = 64;
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The longest beginning of a text that has at most so many UTF-16 code units and ends between two
 * characters as people see them: never inside a surrogate pair, an emoji sequence or an accent.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  if (maxCharacters <= 0) return '';
  const start = pairStart(text, Math.max(0, maxCharacters - WINDOW));
  const around = text.slice(start, maxCharacters + WINDOW);
  const boundary = CHARACTERS.segment(around).containing(maxCharacters - start)?.index ?? 0;
  // One character that fills the whole window: to split it is better than to show nothing.
  const end = boundary === 0 ? pairStart(text, maxCharacters) : start + boundary;
  return text.slice(0, end);
}

/** The position itself, or the one before it when it lies inside a surrogate pair. */
function pairStart(text: string, position: number): number {
  return position > 0 &&
    /[\ud800-\udbff]/.test(text.charAt(position - 1)) &&
    /[\udc00-\udfff]/.test(text.charAt(position))
    ? position - 1
    : position;
}
