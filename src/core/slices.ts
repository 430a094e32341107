/** Characters per slice: at most 3 bytes each in UTF-8, and escapes double some; far below 2 MiB. */
export const SLICE_CHARACTERS = 256 * 1024;

/** Cuts a text into slices of bounded length, never inside a surrogate pair. */
export function slicesOf(text: string, characters: number = SLICE_CHARACTERS): string[] {
  const slices: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + characters, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    slices.push(text.slice(start, end));
    start = end;
  }
  return slices.length === 0 ? [''] : slices;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Bytes of a text in UTF-8, without making them. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (isHighSurrogate(code)) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}
