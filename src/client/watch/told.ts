/**
 * A text that was given piece by piece, as far as it can be recognised: how many characters that
 * are no white space it has, and their FNV-1a hash. White space does not count: a recorded preview
 * has less of it.
 */
export interface Told {
  readonly characters: number;
  readonly hash: number;
  /** White space behind the last of these characters; none when absent. */
  readonly space?: number | undefined;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** What a text that was cut ends with. */
const CUT = '…';

export const NOTHING_TOLD: Told = { characters: 0, hash: FNV_OFFSET };

/** What was told, after another piece. */
export function toldBy(before: Told, piece: string): Told {
  let { characters, hash, space = 0 } = before;
  for (let index = 0; index < piece.length; index++) {
    if (isSpace(piece.charAt(index))) {
      space += 1;
    } else {
      hash = hashed(hash, piece.charCodeAt(index));
      characters += 1;
      space = 0;
    }
  }
  return { characters, hash, space };
}

/**
 * How many first characters of a text were told; all of it when only white space is left, none when
 * what was told is another text.
 */
export function toldOf(text: string, told: Told): number {
  let { characters, hash } = NOTHING_TOLD;
  let end = 0;
  for (let index = 0; index < text.length && characters < told.characters; index++) {
    const character = text.charAt(index);
    if (isSpace(character)) continue;
    if (character === CUT && index === text.length - 1) return text.length;
    hash = hashed(hash, text.charCodeAt(index));
    characters += 1;
    end = index + 1;
  }
  if (characters !== told.characters || hash !== told.hash) return 0;
  if (text.slice(end).trim() === '') return text.length;
  const last = end + (told.space ?? 0);
  while (end < last && isSpace(text.charAt(end))) end += 1;
  return end;
}

function isSpace(character: string): boolean {
  return character.trim() === '';
}

function hashed(hash: number, code: number): number {
  return Math.imul(hash ^ code, FNV_PRIME) >>> 0;
}
