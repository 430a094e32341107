export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** The value below which this part of all values lies: 0.5 is the middle one. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** Does something for each value, so many at once. */
export async function eachOf<T>(
  values: readonly T[],
  atOnce: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const left = values.values();
  const worker = async () => {
    for (const value of left) await work(value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Orders in which each comes after each other one equally often (a Williams square): what one leaves
 * to be collected, the next one pays for.
 */
export function balancedOrders<T>(all: readonly T[]): readonly (readonly T[])[] {
  const { length } = all;
  const zigzag = all.map((_, n) => (n % 2 === 1 ? (n + 1) / 2 : (length - n / 2) % length));
  const orders = all.map((_, by) => zigzag.map((n) => all[(n + by) % length] as T));
  return length % 2 === 0 ? orders : [...orders, ...orders.map((order) => order.toReversed())];
}

/** Milliseconds that a piece of work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** A table for a terminal and for a page alike. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const text = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? shown(cell) : cell)),
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...text.map(line)].join('\n');
}

function shown(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
