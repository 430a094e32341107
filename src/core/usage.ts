/** Tokens, normalised over providers: `input` is the uncached part only. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** The part of `output` that was reasoning, where the provider says so. */
  readonly reasoning: number;
  /** Set when the provider sent none and the figures are our estimate. */
  readonly estimated?: boolean;
}

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    ...(a.estimated === true || b.estimated === true ? { estimated: true } : {}),
  };
}

/** All tokens of a usage, cached ones included. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** US dollars; undefined as long as nothing has a price. */
export function addCost(before: number | undefined, cost: number | undefined): number | undefined {
  return cost === undefined ? before : (before ?? 0) + cost;
}
