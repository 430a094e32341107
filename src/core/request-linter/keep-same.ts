/** Like `map`, but the very same array when no item changed. */
export function mapSame<T>(
  items: readonly T[],
  change: (item: T, index: number) => T,
): readonly T[] {
  return sameOr(items, items.map(change));
}

/** Like `flatMap`, but the very same array when every item stood for itself. */
export function flatMapSame<T>(
  items: readonly T[],
  change: (item: T, index: number) => readonly T[],
): readonly T[] {
  return sameOr(items, items.flatMap(change));
}

/** The old array where the new one holds the same items. */
export function sameOr<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  const isSame =
    before.length === after.length && before.every((item, index) => item === after[index]);
  return isSame ? before : after;
}
