import type { Entry } from '../../core/entry.ts';
import { chainDigest } from './digest.ts';

/** An entry on its way into a line, with the memory that it takes. */
export interface LineEntry {
  readonly entry: Entry;
  readonly digest: string;
  /** Length of its JSON, about. */
  readonly characters: number;
}

/**
 * A conversation's transcript as far as it is known here, with the digest at every length. It can
 * be longer than what was asked for: a turn may have been given up after it was kept.
 */
export class TranscriptLine {
  readonly #entries: LineEntry[] = [];
  readonly #chain: string[] = [];
  readonly #counts = new Map<string, number>();
  #characters = 0;

  get count(): number {
    return this.#entries.length;
  }

  get characters(): number {
    return this.#characters;
  }

  /** The length at which the transcript has this digest, if it ever has. */
  countAt(digest: string | null): number | undefined {
    return digest === null ? 0 : this.#counts.get(digest);
  }

  /** The transcript's digest at a length; null at 0, undefined beyond the end. */
  digestAt(count: number): string | null | undefined {
    return count === 0 ? null : this.#chain[count - 1];
  }

  entryAt(index: number): LineEntry | undefined {
    return this.#entries[index];
  }

  /** The first entries, and their digests, in arrays of the caller's own. */
  first(count: number): { entries: Entry[]; digests: string[] } {
    const lines = this.#entries.slice(0, count);
    return { entries: lines.map(({ entry }) => entry), digests: lines.map(({ digest }) => digest) };
  }

  /** Puts entries in place of all that comes after `from`. */
  replaceFrom(from: number, added: readonly LineEntry[]): void {
    for (const digest of this.#chain.splice(from)) this.#counts.delete(digest);
    for (const { characters } of this.#entries.splice(from)) this.#characters -= characters;
    for (const entry of added) {
      const digest = chainDigest(this.#chain.at(-1) ?? null, entry.digest);
      this.#entries.push(entry);
      this.#chain.push(digest);
      this.#counts.set(digest, this.#entries.length);
      this.#characters += entry.characters;
    }
  }
}
