/** Like `map`, but the very same array when no item changed. */
export function mapSame<T>(
  items: readonly T[],
  change: (item: T, index: number) => T,
): readonly T[] {
  let changed: T[] | undefined;
  for (const [index, item] of items.entries()) {
    const after = change(item, index);
    if (after !== item) changed ??= [...items];
    if (changed !== undefined) changed[index] = after;
  }
  return changed ?? items;
}

/** The old array where the new one holds the same items. */
export function sameOr<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  const isSame =
    before.length === after.length && before.every((item, index) => item === after[index]);
  return isSame ? before : after;
}
