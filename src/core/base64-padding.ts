/** A base64 text without the `=` at its end, however many there are. */
export function withoutPadding(base64: string): string {
  let end = base64.length;
  while (end > 0 && base64.charAt(end - 1) === '=') end -= 1;
  return base64.slice(0, end);
}
