import { cleanText } from './clean-text.ts';
import { textOf, type Content } from './content.ts';
import { cutText } from './cut-text.ts';
import { utf8Bytes } from './slices.ts';

/** Characters of the end that are kept: an error's last line says what is known of its effect. */
const KEPT_END = 300;

/**
 * What of a content history can hold by itself where no blob store takes the whole: its beginning,
 * a line that says what was lost, its end. Its JSON has at most so many bytes.
 */
export function withoutStore(content: Content, inlineLimitBytes: number): string {
  const text = textOf(content);
  const lost = `[The whole result (${text.length} characters) was lost: no blob store took it.]`;
  const end = text.slice(-KEPT_END);
  let beginning = text.slice(0, -KEPT_END);
  const room = Math.max(0, inlineLimitBytes - jsonBytes(`\n${lost}\n${end}`));
  let bytes = jsonBytes(beginning);
  while (beginning !== '' && bytes > room) {
    beginning = cutText(beginning, Math.floor((beginning.length * room) / bytes) - 1);
    bytes = jsonBytes(beginning);
  }
  return cleanText(`${beginning}\n${lost}\n${end}`);
}

/** Bytes of a value's JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value) ?? 'null');
}
