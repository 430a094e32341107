import { chainDigest } from './digest.ts';
import type { ChainLink, DigestedEntry } from './entries-of-events.ts';
import { measured } from './measured.ts';
import type { LineEntry } from './transcript-line.ts';

/** Makes the error of what does not add up, from what was found. */
export type Mismatch = (found: string) => Error;

/** Where links begin: the entries before them, and their digest. */
export interface Joint {
  readonly count: number;
  readonly digest: string | null;
}

/** The entries of links, oldest first. Each entry, each count and each digest on the way is checked. */
export function joinLinks(
  joint: Joint,
  links: readonly ChainLink[],
  results: ReadonlyMap<string, LineEntry>,
  mismatch: Mismatch,
): LineEntry[] {
  const joined: LineEntry[] = [];
  let { digest } = joint;
  for (const link of links) {
    const entries = entriesOfLink(link, results, mismatch);
    if (entries.length < link.items.length + (link.turn === undefined ? 0 : 1)) {
      throw mismatch(`activity ${link.activityId} names results that are gone`);
    }
    for (const entry of entries) digest = chainDigest(digest, entry.digest);
    joined.push(...entries);
    const count = joint.count + joined.length;
    if (digest === link.digest && count === link.count) continue;
    throw mismatch(
      `activity ${link.activityId} recorded ${link.count} entries with digest ${link.digest}, ` +
        `its entries are ${count} with digest ${digest}`,
    );
  }
  return joined;
}

/** What a link added, without the results that are not there. */
export function entriesOfLink(
  link: ChainLink,
  results: ReadonlyMap<string, LineEntry>,
  mismatch: Mismatch,
): LineEntry[] {
  const entries = link.items.flatMap((item) => {
    const line = 'entry' in item ? measured(item.entry) : results.get(item.digest);
    return line === undefined ? [] : [line];
  });
  if (link.turn !== undefined) entries.push(checked(link.turn, link.activityId, mismatch));
  return entries;
}

/** An entry whose digest is the one that was recorded with it. */
export function checked(
  recorded: DigestedEntry,
  activityId: string,
  mismatch: Mismatch,
): LineEntry {
  const line = measured(recorded.entry);
  if (line.digest === recorded.digest) return line;
  throw mismatch(
    `activity ${activityId} recorded an entry with digest ${recorded.digest}, what it recorded has ${line.digest}`,
  );
}
