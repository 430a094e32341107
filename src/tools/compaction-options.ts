import type { Json } from '../core/json.ts';
import type { RequestMessage } from '../core/model-request.ts';
import type { Model } from '../models/model.ts';
import { oneModel } from './model-checks.ts';
import { type OptionCheck, optional, options, positiveCount, text } from './option-checks.ts';

/** How a transcript is shown shorter when it outgrows `contextBudget`, or the model's window. */
export interface CompactionOptions {
  /** Steps at the end that stay whole as long as that is enough. Default 3. */
  readonly keepSteps?: number;
  /** Writes the summaries. Default: the model that the conversation is with. */
  readonly model?: Model;
  /** What a summary is asked for. Default: goal, findings, decisions, deeds, what is open. */
  readonly instructions?: string;
  /** Output tokens of one summary. Default 4,000. */
  readonly maxOutputTokens?: number;
}

/** What `onCompact` may use. */
export interface CompactionInfo {
  readonly conversationId: string;
  readonly agent: string;
  /** `overflow`: the provider refused the request as too long. */
  readonly reason: 'budget' | 'overflow';
  /** The agent's `contextBudget`. */
  readonly budget?: number;
  /** Tokens of the next request as it is: counted by the provider, or estimated. */
  readonly tokens: number;
  readonly keepSteps: number;
  /** What comes before the steps that are kept, as the model is shown it now. */
  readonly messages: readonly RequestMessage[];
  readonly context: Json;
  /** Aborts when the answer is not waited for any longer: after 60 s, or when the turn is stopped. */
  readonly signal: AbortSignal;
}

/**
 * `default`: as without the hook. `cut`: old results become previews, without a summary. A summary
 * stands for everything before the last `keepSteps` steps; the first message stays.
 */
export type CompactionAnswer =
  'default' | 'cut' | { readonly summary: string; readonly keepSteps?: number };

/** A compaction strategy of one's own. Has no effects: an attempt may be repeated. */
export type OnCompact = (info: CompactionInfo) => CompactionAnswer | Promise<CompactionAnswer>;

/** The options with their defaults. */
export type CompactionSettings = CompactionOptions &
  Required<Pick<CompactionOptions, 'keepSteps' | 'maxOutputTokens'>>;

export const DEFAULT_COMPACTION: CompactionSettings = { keepSteps: 3, maxOutputTokens: 4_000 };

export const compactionOptions: OptionCheck = options({
  keepSteps: optional(positiveCount),
  model: optional(oneModel),
  instructions: optional(text),
  maxOutputTokens: optional(positiveCount),
});
