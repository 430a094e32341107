/** Escape sequences of terminals: colours, cursor movements, window titles. */
const TERMINAL_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g;

/** C0 controls except tab, line feed and carriage return; DEL; halves of surrogate pairs. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Cs}/gu;

const REPLACEMENT = '\ufffd';

/**
 * A text as it can be sent to any model API and kept in any store: terminal sequences are dropped,
 * every other control character and every lone surrogate becomes U+FFFD. Text without them is
 * returned as it is.
 */
export function cleanText(text: string): string {
  if (text.search(UNFIT) === -1) return text;
  return text.replace(TERMINAL_SEQUENCE, '').replace(UNFIT, REPLACEMENT);
}
