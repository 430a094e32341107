import { constants } from 'node:fs';
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

/**
 * Appends lines, each of them unique, and returns the number of the part that took the last.
 *
 * @param known the part that took the last lines, to spare a look; `undefined` when not known
 * @param keep how many parts may be there; older ones are removed
 */
export async function appendLines(
  directory: string,
  lines: readonly string[],
  { known, keep }: { readonly known: number | undefined; readonly keep: number },
): Promise<number> {
  let rest = lines;
  let full = 0;
  let part = known ?? (await partToTry(directory, full, keep));
  for (;;) {
    const left = await append(partPath(directory, part), rest);
    if (left?.length === 0) return part;
    if (left !== undefined) {
      full = part;
      rest = left;
    }
    part = await partToTry(directory, full, keep);
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

/** Returns the lines that this part did not take; `undefined` when there is no such part any more. */
async function append(
  path: string,
  lines: readonly string[],
): Promise<readonly string[] | undefined> {
  const file = await openExisting(path);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.from(`\n${lines.join('\n')}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`${path}: the disk did not take all of it`);
    const { size } = await file.stat();
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
  } finally {
    await file.close();
  }
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
