import type { Content } from './content.ts';
import type { Entry, View } from './entry.ts';
import { entryTokens, tokensUnder } from './entry-tokens.ts';
import type { SaidInTurn } from './said-in-turn.ts';
import type { Stored } from './stored.ts';
import { stepStarts } from './transcript-parts.ts';

/** Steps at the end of the transcript that are shown whole. */
export const KEEP_STEPS = 3;

/** Of the budget; the rest is room for the next steps, for each compaction costs the prompt cache. */
const TARGET_SHARE = 0.7;
/** Of the budget, with a summary: steps that would stay whole are not given up for more room. */
const SUMMARY_TARGET_SHARE = 0.9;
/** Of what was refused as too long: how much too long is not known, and there is no second try. */
const TARGET_SHARE_AFTER_OVERFLOW = 0.5;
/** A summary of ordinary length. */
const SUMMARY_TOKENS = 2_000;
/** Less than this share is not worth a compaction. */
const MINIMUM_GAIN = 0.1;

export interface CompactionInput {
  /** The whole transcript, from the conversation's first entry. */
  readonly entries: readonly Entry[];
  /** How it is shown now. */
  readonly view: View | undefined;
  /** `overflow`: the provider refused the request as too long, whatever our estimate says. */
  readonly reason: 'budget' | 'overflow';
  /** Tokens of context above which the transcript is compacted. */
  readonly budget?: number | undefined;
  /** Tokens of the last request as the provider counted them; our estimate is corrected by them. */
  readonly contextTokens?: number | undefined;
  /** Estimated tokens of instructions and tools, which no compaction makes smaller. Default 0. */
  readonly fixedTokens?: number | undefined;
  /** Default 3. */
  readonly keepSteps?: number | undefined;
  /** Number of the first entry that waits for something: it and what follows stay. Default: none does. */
  readonly pendingFrom?: number | undefined;
}

export type CompactionPlan =
  | { readonly kind: 'none'; readonly tokens: number }
  | { readonly kind: 'cut'; readonly view: View; readonly tokens: number }
  | {
      readonly kind: 'summarize';
      /** The entries before this number, shown under `view`, are to be summarised. */
      readonly upTo: number;
      /** Without the new summary: what holds when none can be made. */
      readonly view: View;
      /** Estimated, with a summary of ordinary length. */
      readonly tokens: number;
    };

/**
 * What to show less of: first old tool results become previews, while the last steps stay whole;
 * then a summary stands for all before them. Fewer steps stay only when that is not enough. The
 * first user message and what is pending always stay, and a call stays with its results.
 */
export function planCompaction(input: CompactionInput): CompactionPlan {
  const { entries, view, reason, budget } = input;
  const sizeOf = estimateOf(input);
  const now = sizeOf(view);
  const isOverflow = reason === 'overflow';
  const isWithin = Math.max(now, input.contextTokens ?? 0) <= (budget ?? Infinity);
  if (isWithin && !isOverflow) return { kind: 'none', tokens: now };
  const limit = isOverflow ? now * TARGET_SHARE_AFTER_OVERFLOW : Infinity;
  const targets = {
    none: 0,
    cut: Math.min((budget ?? Infinity) * TARGET_SHARE, limit),
    summarize: Math.min((budget ?? Infinity) * SUMMARY_TARGET_SHARE, limit),
  };
  const starts = stepStarts(entries, input.pendingFrom);
  let best: CompactionPlan = { kind: 'none', tokens: now };
  for (let keep = input.keepSteps ?? KEEP_STEPS; keep >= (isOverflow ? 0 : 1); keep -= 1) {
    for (const plan of plansKeeping(keep, starts, input, sizeOf)) {
      if (plan.tokens <= targets[plan.kind]) return plan;
      if (plan.tokens < best.tokens) best = plan;
    }
  }
  return best.tokens <= now * (1 - MINIMUM_GAIN) ? best : { kind: 'none', tokens: now };
}

/** The view under which a summary stands for the entries that were summarised. */
export function withSummary(
  plan: { readonly view: View; readonly upTo: number },
  content: Stored<Content>,
  said?: SaidInTurn,
): View {
  const { view, upTo } = plan;
  return { ...view, summary: { content, upTo, ...(said === undefined ? {} : { said }) } };
}

/** What is shown less of when so many steps at the end stay whole. */
export interface Shortening {
  /** Results before the kept steps are shown as previews. */
  readonly view: View;
  /** The entries that a summary may stand for; absent: there are no new ones. */
  readonly upTo?: number;
}

export function shortenBefore(
  { entries, view, pendingFrom = entries.length }: Omit<CompactionInput, 'reason'>,
  keep: number,
  starts: readonly number[] = stepStarts(entries, pendingFrom),
): Shortening {
  const from = keep === 0 ? pendingFrom : (starts.at(-keep) ?? 0);
  const cut: View = {
    ...view,
    cutBefore: Math.max(view?.cutBefore ?? 0, from),
    since: entries.length,
  };
  // What users said last has no step yet: a summary of everything would hide it.
  const upTo = keep === 0 ? 0 : from;
  return upTo > (view?.summary?.upTo ?? 0) ? { view: cut, upTo } : { view: cut };
}

function plansKeeping(
  keep: number,
  starts: readonly number[],
  input: CompactionInput,
  sizeOf: (view: View) => number,
): readonly CompactionPlan[] {
  const { view: cut, upTo } = shortenBefore(input, keep, starts);
  const plans: CompactionPlan[] = [{ kind: 'cut', view: cut, tokens: sizeOf(cut) }];
  if (upTo !== undefined) {
    const tokens = sizeOf({ ...cut, summary: { content: '', upTo } }) + SUMMARY_TOKENS;
    plans.push({ kind: 'summarize', upTo, view: cut, tokens });
  }
  return plans;
}

/** Estimates a request under a view, corrected by what the provider counted under the present one. */
function estimateOf(input: CompactionInput): (view: View | undefined) => number {
  const { entries, view, contextTokens, fixedTokens = 0 } = input;
  const from = view?.summary?.upTo ?? 0;
  const first = entries.findIndex(({ kind }) => kind === 'user');
  // A later view shows nothing that this one hides.
  const whole = entries.map((entry, n) => (n < from && n !== first ? 0 : entryTokens(entry)));
  const estimate = (under: View | undefined) => fixedTokens + tokensUnder(under, entries, whole);
  const present = estimate(view);
  const correction =
    contextTokens === undefined || present === 0
      ? 1
      : Math.min(4, Math.max(0.25, contextTokens / present));
  return (under) => Math.round(estimate(under) * correction);
}
