import { constants, fstatSync } from 'node:fs';
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A conversation's events are JSON lines in numbered parts: `1.jsonl`, `2.jsonl`, … Several
 * processes append to the newest one, each batch by one write that begins and ends with a line
 * break, so that a line torn by a death spoils no other. A line belongs to its part when it starts
 * before `PART_BYTES`; one that starts later is void for readers, and its writer writes it again
 * into the next part. So all agree on where a part ends, without a lock.
 */
export const PART_BYTES = 1024 * 1024;

export const NEWLINE = 0x0a;

const PART_NAME = /^(\d{1,15})\.jsonl$/;

export function partPath(directory: string, part: number): string {
  return join(directory, `${part}.jsonl`);
}

/** Numbers of the parts, oldest first; none when there is no such directory. */
export async function listParts(directory: string): Promise<readonly number[]> {
  try {
    const numbers = (await readdir(directory)).map((name) => Number(PART_NAME.exec(name)?.[1]));
    return numbers.filter(Number.isInteger).sort((a, b) => a - b);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** A part that this process appends to. */
export interface OpenPart {
  readonly part: number;
  readonly file: FileHandle;
}

/**
 * Appends lines, each of them unique, and returns the part that took the last, still open.
 *
 * @param known the part that took the last lines, when it is still open; closed when it is left
 * @param keep how many parts may be there; older ones are removed
 */
export async function appendLines(
  directory: string,
  lines: readonly string[],
  { known, keep }: { readonly known: OpenPart | undefined; readonly keep: number },
): Promise<OpenPart> {
  let rest = lines;
  let full = 0;
  let open = known;
  for (;;) {
    open ??= await openPart(directory, await partToTry(directory, full, keep));
    if (open === undefined) continue;
    const left = await appendOrClose(open, rest);
    if (left?.length === 0) return open;
    if (left !== undefined) {
      full = open.part;
      rest = left;
    }
    open = undefined;
  }
}

/** The newest part; made when there is none, or when the newest is the one that is full. */
async function partToTry(directory: string, full: number, keep: number): Promise<number> {
  const parts = await listParts(directory);
  const newest = parts.at(-1) ?? 0;
  if (newest !== full) return newest;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const created = await open(partPath(directory, newest + 1), 'a', 0o600);
  await created.close();
  for (const part of parts.slice(0, Math.max(0, parts.length + 1 - keep))) {
    await rm(partPath(directory, part), { force: true });
  }
  return newest + 1;
}

async function openPart(directory: string, part: number): Promise<OpenPart | undefined> {
  try {
    const flags = constants.O_RDWR | constants.O_APPEND;
    return { part, file: await open(partPath(directory, part), flags) };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** What is not the last part any more, or failed, is not kept open. */
async function appendOrClose(
  { file, part }: OpenPart,
  lines: readonly string[],
): Promise<readonly string[] | undefined> {
  let isLast = false;
  try {
    const left = await append(file, part, lines);
    isLast = left?.length === 0;
    return left;
  } finally {
    if (!isLast) await file.close();
  }
}

/** Returns the lines that this part did not take; `undefined` when it was removed meanwhile. */
async function append(
  file: FileHandle,
  part: number,
  lines: readonly string[],
): Promise<readonly string[] | undefined> {
  const bytes = Buffer.from(`\n${lines.join('\n')}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) {
    throw new Error(`${part}.jsonl: the disk took ${bytesWritten} of ${bytes.length} bytes`);
  }
  // Synchronous: an open file's size is at hand, and a trip to another thread costs ten times as much.
  const { size, nlink } = fstatSync(file.fd);
  if (nlink === 0) return undefined;
  if (size <= PART_BYTES) return [];
  const end = Buffer.alloc(size - PART_BYTES + 1);
  await file.read(end, 0, end.length, PART_BYTES - 1);
  const voids = new Set(
    end
      .subarray(end.indexOf(NEWLINE) + 1)
      .toString()
      .split('\n'),
  );
  return lines.filter((line) => voids.has(line));
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
