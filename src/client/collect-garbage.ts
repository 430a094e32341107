import type { BlobStore } from '../blobs/blob-store.ts';
import { type Duration, durationMs } from '../core/duration.ts';
import type { ClientContext } from './client-context.ts';
import { UnrelatedBlobStore } from './errors/unrelated-blob-store.ts';
import { describeRun } from './runs-of.ts';

export interface GarbageOptions {
  /**
   * A conversation with a blob that was put later than this long ago is left alone: one that is
   * just being started has blobs before the server knows it. Default 1 day, at least 10 minutes.
   */
  readonly olderThan?: Duration | undefined;
  /** Removes what is found. Default false: it is only told. */
  readonly apply?: boolean | undefined;
  /** Removes although the server knows no conversation of the store at all. Default false. */
  readonly force?: boolean | undefined;
}

/** Blobs of a conversation that the server does not know (any more). */
export interface OwnerlessBlobs {
  readonly conversationId: string;
  readonly blobs: number;
  readonly bytes: number;
  readonly newestAt: Date;
}

/** The conversations of a blob store. */
export interface Garbage {
  /** The server has a history of them. */
  readonly known: number;
  /** The server has none, but their transcript was kept. */
  readonly kept: number;
  /** The server has none, but they have a young blob. */
  readonly young: number;
  /** The rest; with `apply`, what was removed. */
  readonly garbage: readonly OwnerlessBlobs[];
}

const DEFAULT_AGE_MS = 24 * 60 * 60 * 1000;
/** A start that takes longer was given up long before. */
const MIN_AGE_MS = 10 * 60 * 1000;
const QUESTIONS_AT_ONCE = 8;

type Verdict = 'known' | 'kept' | 'young' | 'gone' | OwnerlessBlobs;

/**
 * Finds, and with `apply` removes, the blobs of conversations that the server does not know and
 * that were not kept. Again is harmless, and finishes a removal that was interrupted.
 */
export async function collectGarbage(
  context: ClientContext,
  { olderThan, apply = false, force = false }: GarbageOptions,
): Promise<Garbage> {
  const { blobs } = context;
  if (blobs === undefined) throw new Error('give the client the blob store of the workers');
  const writtenBefore = new Date(Date.now() - ageMs(olderThan));
  const counts = { known: 0, kept: 0, young: 0, gone: 0 };
  const found: OwnerlessBlobs[] = [];
  const judge = (id: string) => verdictOf(context, blobs, id, writtenBefore);
  await eachOf(blobs.conversations(), async (id) => {
    const verdict = await judge(id);
    if (typeof verdict === 'object') found.push(verdict);
    else counts[verdict] += 1;
  });
  const { known, kept, young } = counts;
  if (!apply) return { known, kept, young, garbage: found };
  if (known === 0 && found.length > 0 && !force) {
    throw new UnrelatedBlobStore(found.length, context.namespace, context.address);
  }
  const garbage: OwnerlessBlobs[] = [];
  for (const { conversationId } of found) {
    // Once more: a conversation may have been started under the same id meanwhile.
    const verdict = await judge(conversationId);
    if (typeof verdict !== 'object') continue;
    await blobs.deleteConversation(conversationId, { writtenBefore });
    garbage.push(verdict);
  }
  return { known, kept, young, garbage };
}

async function verdictOf(
  context: ClientContext,
  blobs: BlobStore,
  conversationId: string,
  writtenBefore: Date,
): Promise<Verdict> {
  if ((await describeRun(context, conversationId)) !== undefined) return 'known';
  if ((await blobs.manifest(conversationId)) !== undefined) return 'kept';
  // Last, so that what a start puts while the server is asked is seen.
  const { newestAt, ...held } = await blobs.holdings(conversationId);
  if (newestAt === undefined) return 'gone';
  return newestAt >= writtenBefore ? 'young' : { conversationId, ...held, newestAt };
}

function ageMs(olderThan: Duration | undefined): number {
  const age = olderThan === undefined ? DEFAULT_AGE_MS : durationMs(olderThan);
  if (age === undefined || age < MIN_AGE_MS) {
    throw new RangeError(
      `olderThan: expected a duration of at least "10 minutes", got ${JSON.stringify(olderThan)}`,
    );
  }
  return age;
}

async function eachOf<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.asyncIterator]();
  const worker = async (): Promise<void> => {
    for (let next = await waiting.next(); next.done !== true; next = await waiting.next()) {
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, worker));
}
