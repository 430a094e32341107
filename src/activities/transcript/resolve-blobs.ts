import { LRUCache } from 'lru-cache';
import { BlobMissing, type BlobStore } from '../../blobs/blob-store.ts';
import type { Content, Part } from '../../core/content.ts';
import type { Entry } from '../../core/entry.ts';
import type { MissingBlob, ResolvedEntries } from './transcript-reader.ts';
import { isBlobReference, type Stored } from '../../core/stored.ts';

export type BlobResolver = (
  conversationId: string,
  entries: readonly Entry[],
) => Promise<ResolvedEntries>;

/**
 * Puts content in the place of references, for what is about to be shown: a result that has a
 * `shownAs` keeps the reference of its whole content. What is missing stays a reference, by which
 * the renderer says what was lost; a missing image or document becomes a text that names it.
 * Throws when the store is away.
 */
export function createBlobResolver(blobs: BlobStore, maxBytes: number): BlobResolver {
  const cache = new LRUCache<string, Uint8Array>({ maxSize: maxBytes });

  async function bytesOf(conversationId: string, sha256: string): Promise<Uint8Array> {
    const key = JSON.stringify([conversationId, sha256]);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const bytes = await blobs.get(conversationId, sha256);
    cache.set(key, bytes, { size: bytes.length + 200 });
    return bytes;
  }

  return async (conversationId, entries) => {
    const load: Load = (sha256) => bytesOf(conversationId, sha256);
    const resolved: Entry[] = [];
    const missing: MissingBlob[] = [];
    for (let start = 0; start < entries.length; start += LOADED_AT_ONCE) {
      const some = entries.slice(start, start + LOADED_AT_ONCE);
      const losses = some.map((): MissingBlob[] => []);
      const loaded = await Promise.all(
        some.map((entry, index) =>
          resolveEntry(entry, load, (error) => losses[index]?.push(miss(entry, error))),
        ),
      );
      resolved.push(...loaded);
      missing.push(...losses.flat());
    }
    return { entries: resolved, missing };
  };
}

/** Entries whose blobs are asked for at the same time. */
const LOADED_AT_ONCE = 16;

type Load = (sha256: string) => Promise<Uint8Array>;
type OnMissing = (error: BlobMissing) => void;

async function resolveEntry(entry: Entry, load: Load, onMissing: OnMissing): Promise<Entry> {
  switch (entry.kind) {
    case 'user':
    case 'summary': {
      const content = await resolveContent(entry.content, load, onMissing);
      return content === entry.content ? entry : { ...entry, content };
    }
    case 'result': {
      const shown = entry.shownAs ?? entry.content;
      const content = await resolveContent(shown, load, onMissing);
      if (content === shown) return entry;
      return entry.shownAs === undefined ? { ...entry, content } : { ...entry, shownAs: content };
    }
    case 'assistant': {
      const raw = await valueOf(entry.raw, load, onMissing);
      return raw === entry.raw ? entry : { ...entry, raw };
    }
    case 'note':
      return entry;
  }
}

async function resolveContent(
  stored: Stored<Content>,
  load: Load,
  onMissing: OnMissing,
): Promise<Stored<Content>> {
  const content = await valueOf(stored, load, onMissing);
  return isBlobReference(content) ? content : resolveParts(content, load, onMissing);
}

async function resolveParts(content: Content, load: Load, onMissing: OnMissing): Promise<Content> {
  if (typeof content === 'string' || !content.some(hasBlob)) return content;
  const parts: Part[] = [];
  for (const part of content) parts.push(await resolvePart(part, load, onMissing));
  return parts;
}

async function resolvePart(part: Part, load: Load, onMissing: OnMissing): Promise<Part> {
  if (!hasBlob(part)) return part;
  const { blob, ...rest } = part;
  const bytes = await load(blob).catch(reported(onMissing));
  if (bytes !== undefined) return { ...rest, data: Buffer.from(bytes).toString('base64') };
  return {
    type: 'text',
    text: `[This ${part.type} is missing: blob ${blob} is not in the store.]`,
  };
}

type BinaryPart = Exclude<Part, { readonly type: 'text' }>;

function hasBlob(part: Part): part is BinaryPart & { readonly blob: string } {
  return part.type !== 'text' && part.blob !== undefined;
}

async function valueOf<T>(stored: Stored<T>, load: Load, onMissing: OnMissing): Promise<Stored<T>> {
  if (!isBlobReference(stored)) return stored;
  const bytes = await load(stored.blob).catch(reported(onMissing));
  return bytes === undefined ? stored : (JSON.parse(new TextDecoder().decode(bytes)) as T);
}

function reported(onMissing: OnMissing): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof BlobMissing)) throw error;
    onMissing(error);
    return undefined;
  };
}

function miss({ kind, turn, step }: Entry, { sha256, reason }: BlobMissing): MissingBlob {
  return { sha256, reason, entry: { kind, turn, step } };
}
