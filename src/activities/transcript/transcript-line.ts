import type { Entry } from '../../core/entry.ts';
import { chainDigest } from './digest.ts';

/** An entry on its way into a line, with the memory that it takes. */
export interface LineEntry {
  readonly entry: Entry;
  readonly digest: string;
  /** Length of its JSON, about. */
  readonly characters: number;
}

/** Where a line begins that has forgotten its oldest entries. */
export interface LineBeginning {
  /** Number of the first entry that it has. */
  readonly from: number;
  /** The transcript's digest up to there. */
  readonly digest: string | null;
  /** The first user message, which is always shown. */
  readonly first?: PinnedEntry | undefined;
}

export interface PinnedEntry {
  readonly n: number;
  readonly line: LineEntry;
}

/** Stands for an entry that nothing will be shown of. */
const FORGOTTEN: LineEntry = {
  entry: { kind: 'note', turn: 0, step: 0, code: 'forgotten', text: '', shown: false, at: '' },
  digest: '',
  characters: 0,
};

const WHOLE: LineBeginning = { from: 0, digest: null };

/**
 * A conversation's transcript as far as it is known here, with the digest at every length. It can
 * be longer than what was asked for: a turn may have been given up after it was kept. It can have
 * forgotten its oldest entries, of which only the first user message stays.
 */
export class TranscriptLine {
  #beginning: LineBeginning = WHOLE;
  readonly #entries: LineEntry[] = [];
  readonly #chain: string[] = [];
  readonly #counts = new Map<string, number>();
  #characters = 0;

  get beginning(): LineBeginning {
    return this.#beginning;
  }

  get count(): number {
    return this.#beginning.from + this.#entries.length;
  }

  /** Entries that take memory. */
  get held(): number {
    return this.#entries.length;
  }

  get characters(): number {
    return this.#characters + (this.#beginning.first?.line.characters ?? 0);
  }

  /** The length at which the transcript has this digest, if it ever has. */
  countAt(digest: string | null): number | undefined {
    if (digest === null) return 0;
    return digest === this.#beginning.digest ? this.#beginning.from : this.#counts.get(digest);
  }

  /** The transcript's digest at a length; null at 0, undefined where it is not known. */
  digestAt(count: number): string | null | undefined {
    const { digest, from } = this.#beginning;
    if (count === 0) return null;
    return count === from ? digest : this.#chain[count - from - 1];
  }

  entryAt(index: number): LineEntry | undefined {
    return this.#entries[index - this.#beginning.from];
  }

  /** The first entries, and their digests, in arrays of the caller's own. */
  first(count: number): { entries: Entry[]; digests: string[] } {
    const { first, from } = this.#beginning;
    const forgotten = Array.from({ length: Math.min(from, count) }, () => FORGOTTEN);
    if (first !== undefined && first.n < forgotten.length) forgotten[first.n] = first.line;
    const lines = [...forgotten, ...this.#entries.slice(0, Math.max(0, count - from))];
    return { entries: lines.map(({ entry }) => entry), digests: lines.map(({ digest }) => digest) };
  }

  /** Begins anew, without what comes before. */
  beginAt(beginning: LineBeginning): void {
    this.#cutFrom(0);
    this.#beginning = beginning;
  }

  /** Puts entries in place of all that comes after `from`. */
  replaceFrom(from: number, added: readonly LineEntry[]): void {
    if (from < this.#beginning.from) this.beginAt(WHOLE);
    this.#cutFrom(from - this.#beginning.from);
    for (const entry of added) {
      const digest = chainDigest(this.#chain.at(-1) ?? this.#beginning.digest, entry.digest);
      this.#entries.push(entry);
      this.#chain.push(digest);
      this.#counts.set(digest, this.count);
      this.#characters += entry.characters;
    }
  }

  /** Lets go of the entries before a number: they are summarised, and kept elsewhere. */
  forgetBefore(n: number): void {
    const { first, from } = this.#beginning;
    const digest = this.digestAt(n);
    if (n <= from || digest === undefined) return;
    const forgotten = this.#entries.splice(0, n - from);
    for (const known of this.#chain.splice(0, n - from)) this.#counts.delete(known);
    for (const { characters } of forgotten) this.#characters -= characters;
    const index = forgotten.findIndex(({ entry }) => entry.kind === 'user');
    const line = forgotten[index];
    const pinned = first ?? (line === undefined ? undefined : { n: from + index, line });
    this.#beginning = { from: n, digest, ...(pinned === undefined ? {} : { first: pinned }) };
  }

  #cutFrom(index: number): void {
    for (const digest of this.#chain.splice(index)) this.#counts.delete(digest);
    for (const { characters } of this.#entries.splice(index)) this.#characters -= characters;
  }
}
