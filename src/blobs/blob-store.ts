/**
 * Content too large for history. A blob belongs to one conversation and is named
 * `<conversation>/<sha-256>`, so that deleting a conversation is deleting a prefix.
 */
export interface BlobStore {
  /** `file`, `postgres`, `s3`: for messages and `doctor`. */
  readonly kind: string;

  /**
   * A random id that was made with the store and is kept in it: the same for every worker that
   * uses the same store. Throws when the store cannot be reached.
   */
  id(): Promise<string>;

  /**
   * Keeps the bytes and returns their SHA-256 (hex). The same bytes twice are kept once. When it
   * returns, they survive the death of the process; a put that dies half-way leaves nothing readable.
   */
  put(conversationId: string, bytes: Uint8Array): Promise<string>;

  /**
   * The bytes, verified against the digest.
   * @throws {BlobMissing} when there is no such blob, or its bytes do not fit the digest (`damaged`).
   */
  get(conversationId: string, sha256: string): Promise<Uint8Array>;

  has(conversationId: string, sha256: string): Promise<boolean>;

  /**
   * Names one blob of the conversation as its manifest: what it is found by when nothing else knows
   * of it any more. A later one takes its place.
   */
  setManifest(conversationId: string, sha256: string): Promise<void>;

  /** The digest of the conversation's manifest; undefined when it has none. */
  manifest(conversationId: string): Promise<string | undefined>;

  /**
   * Removes all blobs of a conversation, and its manifest; returns how many blobs there were. With
   * `writtenBefore` only blobs whose last put is older, and never the manifest.
   */
  deleteConversation(
    conversationId: string,
    options?: { readonly writtenBefore?: Date },
  ): Promise<number>;

  /** Ids of the conversations that have blobs, for garbage collection. */
  conversations(): AsyncIterable<string>;

  /** What there is of a conversation. */
  holdings(conversationId: string): Promise<BlobHoldings>;

  close(): Promise<void>;
}

export interface BlobHoldings {
  readonly blobs: number;
  /** Of all blobs together. */
  readonly bytes: number;
  /** The newest put, also of bytes that were there already; absent without blobs. */
  readonly newestAt?: Date;
}

/** A blob that the store does not have, or has with other bytes. */
export class BlobMissing extends Error {
  /** Also of another copy of this package: the command line has one, the project's store another. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && error.name === 'BlobMissing';
  }

  override readonly name = 'BlobMissing';
  readonly conversationId: string;
  readonly sha256: string;
  readonly reason: 'absent' | 'damaged';

  constructor(conversationId: string, sha256: string, reason: 'absent' | 'damaged') {
    super(
      `blob ${sha256} of conversation "${conversationId}" is ${reason === 'absent' ? 'not in the store' : 'damaged: its bytes do not fit its digest'}`,
    );
    this.conversationId = conversationId;
    this.sha256 = sha256;
    this.reason = reason;
  }
}

/** Counts one blob more. */
export function withBlob(held: BlobHoldings, bytes: number, writtenAt: Date): BlobHoldings {
  const newestAt =
    held.newestAt === undefined || held.newestAt < writtenAt ? writtenAt : held.newestAt;
  return { blobs: held.blobs + 1, bytes: held.bytes + bytes, newestAt };
}
