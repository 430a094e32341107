import type { Readable } from 'node:stream';

export interface CapturedOutput {
  readonly text: string;
  /** Bytes in the middle that were not kept. */
  readonly dropped: number;
}

/**
 * Reads a stream to its end and keeps at most so many bytes, half of them from the beginning and
 * half from the end: what a command says last is what went wrong. The stream is never held up.
 * @returns what was kept so far
 */
export function captureOutput(stream: Readable | null, maxBytes: number): () => CapturedOutput {
  const half = Math.floor(maxBytes / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let dropped = 0;

  const keepEnd = (chunk: Buffer): void => {
    tail.push(chunk);
    tailBytes += chunk.length;
    // Joined now and then instead of at every chunk, so that much output costs little.
    if (tailBytes <= 2 * half) return;
    const joined = Buffer.concat(tail);
    const kept = joined.subarray(joined.length - half);
    dropped += joined.length - kept.length;
    tail = [Buffer.from(kept)];
    tailBytes = kept.length;
  };
  stream?.on('data', (chunk: Buffer) => {
    const room = Math.max(0, half - headBytes);
    const first = chunk.subarray(0, room);
    if (first.length > 0) head.push(first);
    headBytes += first.length;
    if (chunk.length > first.length) keepEnd(chunk.subarray(first.length));
  });
  // A pipe that breaks because the other end was killed is an end like any other.
  stream?.on('error', () => undefined);

  return () => {
    const end = Buffer.concat(tail);
    const kept = end.subarray(Math.max(0, end.length - half));
    const left = dropped + end.length - kept.length;
    const begin = Buffer.concat(head);
    if (left === 0) return { text: Buffer.concat([begin, kept]).toString('utf8'), dropped: 0 };
    const gap = `\n[… ${left} bytes are left out …]\n`;
    return { text: `${begin.toString('utf8')}${gap}${kept.toString('utf8')}`, dropped: left };
  };
}
