import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Ledger, parseLedger } from './ledger-file.ts';

/** Far above what a worker's running attempts need; a larger file is none of ours. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

export type ReadLedger =
  | { readonly ledger: Ledger; readonly livedAtMs: number }
  | { readonly gone: true }
  /** A file that a sweep must not act upon, and why. */
  | { readonly refused: string };

/**
 * Reads a ledger that another process wrote. What it names is killed and failed, so only a file that
 * this user alone can have written is believed.
 */
export async function readLedger(path: string, id: string): Promise<ReadLedger> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { gone: true } : { refused: message };
  }
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return { refused: 'expected a regular file' };
    const user = process.getuid?.();
    if (facts.uid !== user) {
      return { refused: `expected a file of user ${user}; user ${facts.uid} owns it` };
    }
    if ((facts.mode & 0o077) !== 0) {
      const mode = (facts.mode & 0o777).toString(8);
      return { refused: `expected mode 600, which no other user can write or read; got ${mode}` };
    }
    if (facts.size > MAXIMUM_BYTES) return { refused: `too large: ${facts.size} bytes` };
    const ledger = parseLedger(await file.readFile('utf8'));
    if (ledger === undefined) return { refused: 'not a ledger that this version can read' };
    if (ledger.header.id !== id)
      return { refused: `the ledger of another name, ${ledger.header.id}` };
    return { ledger, livedAtMs: facts.mtimeMs };
  } finally {
    await file.close();
  }
}
