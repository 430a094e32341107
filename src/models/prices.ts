import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Usage } from '../core/usage.ts';

const TOKENS_PER_PRICE = 1_000_000;

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: `input`. */
  readonly cacheRead?: number;
  /** Default: `input`. */
  readonly cacheWrite?: number;
  /** What a cache write costs that lives for an hour. Default: `cacheWrite`. */
  readonly cacheWriteHour?: number;
}

export interface PriceList {
  /** The day on which the prices were read, and where. */
  readonly date: string;
  readonly source: string;
  /** By model id; a key that ends in `*` stands for all ids that begin so, the longest wins. */
  readonly prices: { readonly [model: string]: Price };
}

const priceSchema = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().exactOptional(),
  cacheWrite: z.number().nonnegative().exactOptional(),
  cacheWriteHour: z.number().nonnegative().exactOptional(),
});

const priceListSchema = z.strictObject({
  date: z.iso.date(),
  source: z.string().min(1),
  prices: z.record(z.string(), priceSchema),
});

let shipped: PriceList | undefined;

/** The price list that this package ships (`prices.json`). */
export function shippedPrices(): PriceList {
  shipped ??= priceListSchema.parse(
    JSON.parse(readFileSync(new URL('./prices.json', import.meta.url), 'utf8')),
  );
  return shipped;
}

/** The price of a model; undefined when the list has none. */
export function priceOf(model: string, list: PriceList = shippedPrices()): Price | undefined {
  const exact = list.prices[model];
  if (exact !== undefined) return exact;
  const patterns = Object.keys(list.prices)
    .filter((key) => key.endsWith('*') && model.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length);
  const [longest] = patterns;
  return longest === undefined ? undefined : list.prices[longest];
}

/** US dollars of a usage. */
export function costOf(usage: Usage, price: Price): number {
  const dollars =
    usage.input * price.input +
    usage.cacheRead * (price.cacheRead ?? price.input) +
    usage.cacheWrite * (price.cacheWrite ?? price.input) +
    usage.output * price.output;
  return dollars / TOKENS_PER_PRICE;
}
