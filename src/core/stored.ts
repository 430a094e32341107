/**
 * Content above the inline limit lives in the blob store; history keeps this in its place.
 * `blob` is the SHA-256 (hex) of the bytes, `size` their number, `preview` at most 200 characters.
 */
export interface BlobReference {
  readonly blob: string;
  readonly size: number;
  readonly preview: string;
}

/** A value, or the reference under which it is kept. */
export type Stored<T> = T | BlobReference;

/** An entry's content above this many bytes goes to the blob store before it is recorded. */
export const INLINE_LIMIT_BYTES = 32 * 1024;

/** What the limit can be raised to: several such contents share a payload, of which the server takes 2 MiB. */
export const MAX_INLINE_LIMIT_BYTES = 64 * 1024;

export const PREVIEW_CHARACTERS = 200;

export function isBlobReference(value: unknown): value is BlobReference {
  return (
    typeof value === 'object' &&
    value !== null &&
    'blob' in value &&
    typeof value.blob === 'string' &&
    'size' in value &&
    typeof value.size === 'number' &&
    'preview' in value
  );
}

/** The first characters of a text, on one line, never splitting a surrogate pair. */
export function previewOf(text: string, characters: number = PREVIEW_CHARACTERS): string {
  const line = text
    .slice(0, characters * 2)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= characters) return line;
  const end = characters - 1;
  const splitsPair = /[\uD800-\uDBFF]/.test(line.charAt(end - 1));
  return `${line.slice(0, splitsPair ? end - 1 : end)}…`;
}
