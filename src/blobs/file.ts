import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { conversationIdOf } from '../core/conversation-name.ts';
import { isSha256, segmentOf, sha256Of } from './blob-name.ts';
import { type BlobHoldings, BlobMissing, type BlobStore, withBlob } from './blob-store.ts';
import {
  exists,
  hasCode,
  isAbsent,
  makeDirectory,
  namesIn,
  sweepOlderThan,
  syncDirectory,
  writeDurably,
} from './durable-file.ts';
import { readOrMakeStoreId } from './file-store-id.ts';

export interface FileBlobStoreOptions {
  /** Made when it is not there, readable by its owner only. */
  readonly directory: string;
}

/** Where bytes wait for their rename, and deleted conversations for their removal. */
const INCOMING = '.incoming';
/** In a conversation whose directory's name does not tell its id: the id as JSON. */
const CONVERSATION_ID = '.conversation-id';
/** In a conversation that has a manifest: the digest of its blob. */
const MANIFEST = '.manifest';
/** What a process that died left in `.incoming`; a put takes seconds at most. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/**
 * Blobs in a directory: `<directory>/<conversation>/<sha-256>`. Several processes may share it; it
 * belongs to one host. A put is on disk (file and directory synced) when it returns, and appears
 * whole or not at all.
 */
export function fileBlobStore(options: FileBlobStoreOptions): BlobStore {
  const root = resolve(options.directory);
  const incoming = join(root, INCOMING);
  const directoryOf = (conversationId: string): string => join(root, segmentOf(conversationId));
  const newIncoming = (): string => join(incoming, randomUUID());
  let opened: Promise<string> | undefined;

  async function open(): Promise<string> {
    await makeDirectory(incoming);
    await sweepOlderThan(incoming, ABANDONED_AFTER_MS);
    return readOrMakeStoreId(root, newIncoming());
  }

  function id(): Promise<string> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function put(conversationId: string, bytes: Uint8Array): Promise<string> {
    const sha256 = sha256Of(bytes);
    await id();
    const directory = await makeConversation(conversationId);
    await place(bytes, directory, sha256);
    return sha256;
  }

  /** The conversation's directory, which can tell the conversation's id. */
  async function makeConversation(conversationId: string): Promise<string> {
    const name = segmentOf(conversationId);
    const directory = join(root, name);
    if (await makeDirectory(directory)) await syncDirectory(root);
    const tellsItself = conversationIdOf(name) !== undefined;
    if (!tellsItself && !(await exists(join(directory, CONVERSATION_ID)))) {
      await place(Buffer.from(JSON.stringify(conversationId)), directory, CONVERSATION_ID);
    }
    return directory;
  }

  async function place(bytes: Uint8Array, directory: string, name: string): Promise<void> {
    const temporary = newIncoming();
    try {
      await makeDirectory(incoming);
      await writeDurably(temporary, bytes);
      await renameInto(temporary, directory, name);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async function get(conversationId: string, sha256: string): Promise<Uint8Array> {
    if (!isSha256(sha256)) throw new BlobMissing(conversationId, sha256, 'absent');
    let bytes: Uint8Array;
    try {
      bytes = await readFile(join(directoryOf(conversationId), sha256));
    } catch (error) {
      if (isAbsent(error)) throw new BlobMissing(conversationId, sha256, 'absent');
      throw error;
    }
    if (sha256Of(bytes) !== sha256) throw new BlobMissing(conversationId, sha256, 'damaged');
    return bytes;
  }

  async function manifest(conversationId: string): Promise<string | undefined> {
    try {
      return await readFile(join(directoryOf(conversationId), MANIFEST), 'utf8');
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async function deleteConversation(
    conversationId: string,
    { writtenBefore }: { readonly writtenBefore?: Date } = {},
  ): Promise<number> {
    await id();
    const directory = directoryOf(conversationId);
    if (writtenBefore !== undefined) return deleteOld(directory, writtenBefore);
    const doomed = newIncoming();
    try {
      await rename(directory, doomed);
    } catch (error) {
      if (isAbsent(error)) return 0;
      throw error;
    }
    await syncDirectory(root);
    const count = (await namesIn(doomed)).filter(isSha256).length;
    await rm(doomed, { recursive: true, force: true, maxRetries: 3 });
    return count;
  }

  async function deleteOld(directory: string, writtenBefore: Date): Promise<number> {
    let count = 0;
    for (const name of (await namesIn(directory)).filter(isSha256)) {
      const written = await writtenAt(join(directory, name));
      if (written === undefined || written >= writtenBefore) continue;
      const doomed = newIncoming();
      await rename(join(directory, name), doomed);
      // A put that came in between stays.
      const moved = await writtenAt(doomed);
      if (moved !== undefined && moved >= writtenBefore) {
        await renameInto(doomed, directory, name);
        continue;
      }
      await unlink(doomed);
      count += 1;
    }
    const isEmpty = (await namesIn(directory)).every((name) => name === CONVERSATION_ID);
    if (count > 0 && isEmpty) await removeEmpty(directory);
    return count;
  }

  async function holdings(conversationId: string): Promise<BlobHoldings> {
    await id();
    const directory = directoryOf(conversationId);
    let held: BlobHoldings = { blobs: 0, bytes: 0 };
    for (const name of (await namesIn(directory)).filter(isSha256)) {
      const found = await stat(join(directory, name)).catch(() => undefined);
      if (found !== undefined) held = withBlob(held, found.size, found.mtime);
    }
    return held;
  }

  async function* conversations(): AsyncGenerator<string> {
    await id();
    for (const name of await readdir(root)) {
      if (name.startsWith('.')) continue;
      const files = await namesIn(join(root, name));
      if (!files.some(isSha256)) continue;
      const conversationId = conversationIdOf(name) ?? (await noted(join(root, name)));
      if (conversationId !== undefined) yield conversationId;
    }
  }

  return {
    kind: 'file',
    id,
    put,
    get,
    has: async (conversationId, sha256) =>
      isSha256(sha256) && (await exists(join(directoryOf(conversationId), sha256))),
    setManifest: async (conversationId, sha256) =>
      place(Buffer.from(sha256), await makeConversation(conversationId), MANIFEST),
    manifest,
    deleteConversation,
    conversations,
    holdings,
    close: async () => {},
  };
}

/** Makes the directory again for every deletion of the conversation that crosses the put. */
async function renameInto(temporary: string, directory: string, name: string): Promise<void> {
  for (;;) {
    try {
      await rename(temporary, join(directory, name));
      break;
    } catch (error) {
      if (!isAbsent(error) || !(await exists(temporary))) throw error;
      await makeDirectory(directory);
    }
  }
  try {
    await syncDirectory(directory);
  } catch (error) {
    // Deleted right after the rename: the put came first, and nothing is left to keep.
    if (!isAbsent(error)) throw error;
  }
}

async function noted(directory: string): Promise<string | undefined> {
  try {
    const id: unknown = JSON.parse(await readFile(join(directory, CONVERSATION_ID), 'utf8'));
    return typeof id === 'string' ? id : undefined;
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function writtenAt(path: string): Promise<Date | undefined> {
  return (await stat(path).catch(() => undefined))?.mtime;
}

/** A put that crosses it makes the directory again. */
async function removeEmpty(directory: string): Promise<void> {
  await rm(join(directory, CONVERSATION_ID), { force: true });
  await rmdir(directory).catch((error: unknown) => {
    if (!isAbsent(error) && !hasCode(error, 'ENOTEMPTY')) throw error;
  });
}
