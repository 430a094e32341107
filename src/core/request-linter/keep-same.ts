/** Like `map`, but the very same array when no item changed. */
export function mapSame<T>(
  items: readonly T[],
  change: (item: T, index: number) => T,
): readonly T[] {
  // Nearly always nothing changes: then nothing is made.
  let changed: T[] = [];
  items.forEach((item, index) => {
    const after = change(item, index);
    if (after === item) return;
    if (changed.length === 0) changed = [...items];
    changed[index] = after;
  });
  return changed.length === 0 ? items : changed;
}

/** The old array where the new one holds the same items. */
export function sameOr<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  const isSame =
    before.length === after.length && before.every((item, index) => item === after[index]);
  return isSame ? before : after;
}
