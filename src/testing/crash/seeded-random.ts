/** Random numbers that are the same for the same seed. */
export interface SeededRandom {
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number of `from` to `to`, both included. */
  between(from: number, to: number): number;
  shuffled<T>(items: readonly T[]): T[];
}

/** Mulberry32: small, and good enough to choose moments. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    shuffled<T>(items: readonly T[]): T[] {
      const left = [...items];
      return items.flatMap(() => left.splice(between(0, left.length - 1), 1));
    },
  };
}
