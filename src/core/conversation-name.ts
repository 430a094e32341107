const PLAIN_LIMIT = 140;
const PREFIX_LENGTH = 40;
const HASHED = '%~';

/**
 * A conversation's id as one path segment, in every kind of store: ASCII, at most 140 characters,
 * never starting with a dot, different ids never alike (also where upper and lower case are one).
 * Short ids can be read back with `conversationIdOf`; the name of a long one carries its hash.
 *
 * @param sha256 hex digest of a text's UTF-16 code units
 */
export function conversationName(id: string, sha256: (text: string) => string): string {
  if (id === '') return '%';
  const plain = encode(id);
  if (plain !== undefined && plain.length <= PLAIN_LIMIT) return plain;
  const prefix = (plain ?? '').slice(0, PREFIX_LENGTH);
  return `${prefix}${HASHED}${sha256(id)}`;
}

/** The id behind a name; `undefined` when the name carries only its hash, or is no name of ours. */
export function conversationIdOf(name: string): string | undefined {
  if (name === '%') return '';
  if (name === '' || name.includes(HASHED)) return undefined;
  try {
    const id = decodeURIComponent(name);
    return encode(id) === name ? id : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` for a text with half a surrogate pair, which has no UTF-8 form. */
function encode(id: string): string | undefined {
  try {
    return encodeURIComponent(id)
      .replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())
      .replace(/[A-Z!'()*~]|^\.|\.$/g, escapeCharacter);
  } catch {
    return undefined;
  }
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
