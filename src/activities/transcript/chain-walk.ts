import type { Entry, Item } from '../../core/entry.ts';
import type { SegmentReference } from '../../core/segment.ts';
import { chainDigest } from './digest.ts';
import { type ChainLink, isLinkType, linkOf, resultOf } from './entries-of-events.ts';
import { checked, entriesOfLink, joinLinks } from './join-links.ts';
import type { PayloadDecoder } from './payload-decoder.ts';
import type { ReadAt } from './read-at.ts';
import { decodeActivity, type RecordedActivity } from './recorded-activity.ts';
import type { Continuation, SegmentLoader } from './segment-loader.ts';
import type { LineBeginning, LineEntry } from './transcript-line.ts';
import { TranscriptMismatch } from './transcript-mismatch.ts';
import type { RunLocation } from './transcript-reader.ts';

/** What a reader already has. */
export interface Known {
  readonly countAt: (digest: string | null) => number | undefined;
  readonly digestAt: (count: number) => string | null | undefined;
  readonly result: (digest: string) => LineEntry | undefined;
}

/** What was missing: entries up to the position, and the results that the items name. */
export interface Gap {
  /** Where the known entries end; where what is left begins, when older ones are gone. */
  readonly from: number;
  readonly added: readonly LineEntry[];
  /** Set when older entries were not read. */
  readonly beginning?: LineBeginning;
  /** By digest. */
  readonly results: ReadonlyMap<string, LineEntry>;
}

type ResultItem = Exclude<Item, { readonly entry: Entry }>;

/** Completions decoded at once: one lies often near, and a codec may ask another service. */
const DECODED_AT_ONCE = 8;

/**
 * Follows a transcript backwards by its digests: the model turn that ended with the digest looked
 * for names the one before it, and so on to what is known. A turn that is on nobody's way (given up,
 * superseded) is never met.
 */
export class ChainWalk {
  readonly #decode: PayloadDecoder;
  readonly #segments: SegmentLoader;
  readonly #items: readonly Item[];
  readonly #known: Known;
  readonly #shownFrom: number;
  /** Newest first. */
  readonly #links: ChainLink[] = [];
  readonly #results = new Map<string, LineEntry>();
  /** Digests of results that are still to be found, by activity. */
  readonly #needed = new Map<string, Set<string>>();
  /** Those of a segment that the store lacks: they are in an earlier run's history. */
  readonly #neededEarlier: ResultItem[] = [];
  readonly #mismatch: (found: string, cause?: unknown) => TranscriptMismatch;
  #target: string | null;
  #targetCount: number;
  #base: Continuation | undefined;
  #newest: ChainLink | undefined;
  #unreadable: string | undefined;

  constructor(
    decode: PayloadDecoder,
    segments: SegmentLoader,
    location: RunLocation,
    at: ReadAt,
    known: Known,
  ) {
    this.#decode = decode;
    this.#segments = segments;
    this.#known = known;
    this.#shownFrom = at.shownFrom ?? 0;
    this.#target = at.position.digest;
    this.#targetCount = at.position.count;
    this.#items = at.items;
    this.#mismatch = (found, cause) =>
      new TranscriptMismatch(location, at.position, found, cause === undefined ? {} : { cause });
  }

  get isComplete(): boolean {
    return this.#base !== undefined && this.#needed.size === 0 && this.#neededEarlier.length === 0;
  }

  /** Whether the rest of this run's history cannot help: the older entries were handed over to it. */
  nothingMoreIn(segment: SegmentReference | undefined): boolean {
    const isExplained = this.#base !== undefined || this.#target === (segment?.digest ?? null);
    return isExplained && this.#needed.size === 0;
  }

  async begin(segment: SegmentReference | undefined): Promise<void> {
    await this.#need(this.#items);
    await this.#findBase(segment);
  }

  async enterEarlierRun(segment: SegmentReference | undefined): Promise<void> {
    for (const item of this.#neededEarlier.splice(0)) this.#lookFor(item);
    await this.#findBase(segment);
  }

  /** Takes completed activities, newest first. */
  async take(
    run: RunLocation,
    activities: readonly RecordedActivity[],
    segment: SegmentReference | undefined,
  ): Promise<void> {
    if (this.#base === undefined) await this.#follow(run, activities, segment);
    const named = activities.filter(({ activityId }) => this.#needed.has(activityId));
    await Promise.all(named.map((activity) => this.#takeResult(run, activity)));
  }

  async #follow(
    run: RunLocation,
    activities: readonly RecordedActivity[],
    segment: SegmentReference | undefined,
  ): Promise<void> {
    const links = activities.filter(({ activityType }) => isLinkType(activityType));
    for (let start = 0; start < links.length; start += DECODED_AT_ONCE) {
      const decoded = await Promise.all(
        links
          .slice(start, start + DECODED_AT_ONCE)
          .map((activity) => decodeActivity(this.#decode, run, activity)),
      );
      for (const activity of decoded) {
        const link = linkOf(activity);
        if (link === undefined) this.#unreadable ??= activity.activityId;
        if (link === undefined) continue;
        this.#newest ??= link;
        if (link.digest !== this.#target) continue;
        this.#links.push(link);
        this.#target = link.position.digest;
        this.#targetCount = link.position.count;
        await this.#need(link.items);
        await this.#findBase(segment);
        if (this.#base !== undefined) return;
      }
    }
  }

  async #findBase(segment: SegmentReference | undefined): Promise<void> {
    if (this.#base !== undefined) return;
    const from = this.#known.countAt(this.#target);
    if (from !== undefined) this.#base = { from, added: [] };
    else if (segment !== undefined && segment.digest === this.#target) {
      this.#base = await this.#segments.transcript(segment, this.#known, this.#shownFrom);
    }
  }

  async #need(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      if ('entry' in item || this.#results.has(item.digest)) continue;
      const known = this.#known.result(item.digest);
      if (known !== undefined) this.#results.set(item.digest, known);
      else if (item.segment === undefined) this.#lookFor(item);
      else await this.#needLoose(item, item.segment);
    }
  }

  async #needLoose(item: ResultItem, segment: string): Promise<void> {
    const loose = await this.#segments.loose(segment, item.activityId);
    if (loose === undefined) this.#neededEarlier.push(item);
    else if (loose.digest === item.digest) this.#results.set(item.digest, loose);
    else
      throw this.#mismatch(
        `segment ${segment} has for ${item.activityId} a result with digest ${loose.digest}, its item says ${item.digest}`,
      );
  }

  #lookFor({ activityId, digest }: ResultItem): void {
    const digests = this.#needed.get(activityId) ?? new Set();
    this.#needed.set(activityId, digests.add(digest));
  }

  async #takeResult(run: RunLocation, recorded: RecordedActivity): Promise<void> {
    const result = resultOf(await decodeActivity(this.#decode, run, recorded));
    const digests = this.#needed.get(recorded.activityId);
    if (result === undefined || digests?.has(result.digest) !== true) return;
    this.#results.set(result.digest, checked(result, recorded.activityId, this.#mismatch));
    digests.delete(result.digest);
    if (digests.size === 0) this.#needed.delete(recorded.activityId);
  }

  /** All that was missing, each digest checked. */
  gap(): Gap {
    const base: Continuation = this.#base ?? { from: 0, added: [] };
    const { from, added: older, beginning } = base;
    const digest = older.reduce<string | null>(
      (chained, entry) => chainDigest(chained, entry.digest),
      beginning?.digest ?? this.#known.digestAt(from) ?? null,
    );
    const joint = { count: from + older.length, digest };
    const newer = joinLinks(joint, this.#links.toReversed(), this.#results, this.#mismatch);
    return {
      from,
      added: [...older, ...newer],
      ...(beginning === undefined ? {} : { beginning }),
      results: this.#results,
    };
  }

  /** What is left of a transcript whose older part is gone, for people. */
  remains(): Gap {
    const added = this.#links
      .toReversed()
      .flatMap((link) => entriesOfLink(link, this.#results, this.#mismatch));
    return { from: this.#targetCount, added, results: this.#results };
  }

  /** Why the walk came to the first run's first event without an answer. */
  notFound(): TranscriptMismatch {
    const words: string[] = [];
    if (this.#base === undefined) {
      words.push(
        this.#newest === undefined
          ? 'history has no completed model turn'
          : `no recorded turn ends with digest ${this.#target}; the newest one, ${this.#newest.activityId}, ends at entry ${this.#newest.count} with ${this.#newest.digest}`,
      );
    }
    const results = [...this.#needed.keys(), ...this.#neededEarlier.map((item) => item.activityId)];
    if (results.length > 0)
      words.push(`no recorded result of ${results.join(', ')} has the digest named`);
    if (this.#unreadable !== undefined) {
      words.push(`the record of ${this.#unreadable} cannot be read with this payload codec`);
    }
    const missing = [...this.#segments.missing.values()];
    words.push(...missing.map((error) => error.message));
    return this.#mismatch(words.join('; '), missing[0]);
  }
}
