import { distance } from 'fastest-levenshtein';

/** The name that was probably meant: at most a third of its letters wrong. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const wanted = letters(name);
  let nearest: { readonly name: string; readonly away: number } | undefined;
  for (const candidate of names) {
    const away = distance(wanted, letters(candidate));
    if (away > Math.max(1, Math.floor(candidate.length / 3))) continue;
    if (nearest === undefined || away < nearest.away) nearest = { name: candidate, away };
  }
  return nearest?.name;
}

/** Models mix up `getOrder`, `get_order` and `get-order`. */
function letters(name: string): string {
  return name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[_\s.-]+/g, '');
}
