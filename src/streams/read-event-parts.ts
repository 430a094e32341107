import { open, type FileHandle } from 'node:fs/promises';
import { parseEventLine } from './event-line.ts';
import { isAbsent, listParts, NEWLINE, PART_BYTES, partPath } from './event-parts.ts';
import type { PublishedEvent } from './event-sink.ts';
import { watchDirectory } from './watch-directory.ts';

/** The start of the line to read next. */
export interface PartPosition {
  readonly part: number;
  readonly byte: number;
}

interface OpenPart extends PartPosition {
  readonly file: FileHandle;
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const CHUNK_BYTES = 64 * 1024;

/** Reads on through the parts of a directory, and waits for more, until the signal aborts. */
export async function* readEventParts(
  directory: string,
  from: PartPosition | undefined,
  signal: AbortSignal,
): AsyncGenerator<PublishedEvent> {
  const watcher = watchDirectory(directory, signal);
  let wanted = from;
  let current: OpenPart | undefined;
  try {
    while (!signal.aborted) {
      current ??= await openPart(directory, wanted);
      if (current === undefined) {
        await watcher.change();
        continue;
      }
      const { file, part } = current;
      const lines: readonly Line[] = await readLines(file, current.byte);
      for (const { text, start, end } of lines) {
        const parsed = start < PART_BYTES ? parseEventLine(text) : undefined;
        if (parsed !== undefined) yield { offset: `${part}.${end}`, ...parsed };
        if (signal.aborted) return;
      }
      const byte: number = lines.at(-1)?.end ?? current.byte;
      current = { file, part, byte };
      const next = await nextWanted(directory, current, lines.length > 0);
      if (next === 'more') continue;
      if (next === 'wait') {
        await watcher.change();
        continue;
      }
      wanted = next.wanted;
      current = undefined;
      await file.close();
    }
  } finally {
    watcher.close();
    await current?.file.close();
  }
}

/** What follows the lines just read: more of this part, waiting, or another part. */
async function nextWanted(
  directory: string,
  { file, part, byte }: OpenPart,
  hasRead: boolean,
): Promise<'more' | 'wait' | { readonly wanted: PartPosition | undefined }> {
  if (byte >= PART_BYTES) return { wanted: { part: part + 1, byte: 0 } };
  if (hasRead) return 'more';
  if ((await file.stat()).nlink > 0) return 'wait';
  // Either this part was the oldest and there are later ones, or all of it was deleted.
  const wasOldest = (await listParts(directory)).some((other) => other > part);
  return { wanted: wasOldest ? { part: part + 1, byte: 0 } : undefined };
}

/** The wanted part, or the oldest after it; `undefined` when it is still to come. */
async function openPart(
  directory: string,
  wanted: PartPosition | undefined,
): Promise<OpenPart | undefined> {
  const parts = await listParts(directory);
  const [oldest] = parts;
  const newest = parts.at(-1);
  if (oldest === undefined || newest === undefined) return undefined;
  if (wanted === undefined) return openAt(directory, { part: oldest, byte: 0 });
  if (parts.includes(wanted.part)) return openAt(directory, wanted);
  const later = parts.find((part) => part > wanted.part);
  if (later !== undefined) return openAt(directory, { part: later, byte: 0 });
  const isStillToCome = wanted.byte === 0 && wanted.part === newest + 1;
  return isStillToCome ? undefined : openAt(directory, { part: oldest, byte: 0 });
}

async function openAt(
  directory: string,
  { part, byte }: PartPosition,
): Promise<OpenPart | undefined> {
  try {
    const file = await open(partPath(directory, part), 'r');
    // A position behind the end is of a conversation that was deleted and began again.
    const { size } = await file.stat();
    return { file, part, byte: byte <= size ? byte : 0 };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Whole lines from a position on: at least one if there is one, and about one chunk of them. */
async function readLines(file: FileHandle, from: number): Promise<readonly Line[]> {
  for (let bytes = CHUNK_BYTES; ; bytes *= 2) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
    const lines = linesIn(buffer.subarray(0, bytesRead), from);
    if (lines.length > 0 || bytesRead < bytes) return lines;
  }
}

function linesIn(bytes: Buffer, offset: number): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; ;) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline === -1) return lines;
    const text = bytes.toString('utf8', start, newline);
    lines.push({ text, start: offset + start, end: offset + newline + 1 });
    start = newline + 1;
  }
}
