import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { conversationIdOf } from '../core/conversation-name.ts';
import { isSha256, segmentOf, sha256Of } from './blob-name.ts';
import { BlobMissing, type BlobStore } from './blob-store.ts';
import {
  hasCode,
  makeDirectory,
  sweepOlderThan,
  syncDirectory,
  writeDurably,
} from './durable-file.ts';

export interface FileBlobStoreOptions {
  /** Made when it is not there, readable by its owner only. */
  readonly directory: string;
}

/** Where bytes wait for their rename, and deleted conversations for their removal. */
const INCOMING = '.incoming';
const STORE_ID = '.store-id';
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

  async function deleteConversation(conversationId: string): Promise<number> {
    await id();
    const doomed = newIncoming();
    try {
      await rename(directoryOf(conversationId), doomed);
    } catch (error) {
      if (isAbsent(error)) return 0;
      throw error;
    }
    await syncDirectory(root);
    const count = (await namesIn(doomed)).filter(isSha256).length;
    await rm(doomed, { recursive: true, force: true, maxRetries: 3 });
    return count;
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

/** The first process to link its own id into place decides; all others read it. */
async function readOrMakeStoreId(root: string, temporary: string): Promise<string> {
  const path = join(root, STORE_ID);
  if (!(await exists(path))) {
    await writeDurably(temporary, Buffer.from(randomUUID()));
    try {
      await link(temporary, path);
      await syncDirectory(root);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    } finally {
      await unlink(temporary);
    }
  }
  const id = (await readFile(path, 'utf8')).trim();
  if (id === '') {
    throw new Error(`expected the blob store's id in ${path}, but the file is empty: restore it`);
  }
  return id;
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

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isAbsent(error) || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}
