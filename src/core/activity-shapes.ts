import type { PlannedCall } from './call.ts';
import type { EffectState } from './effect.ts';
import type { Item, Position, SummaryEntry, View } from './entry.ts';
import type { Content } from './content.ts';
import type { Json } from './json.ts';
import type { Category } from './outcome.ts';
import type { RememberedRule } from './remember-rules.ts';
import type { Operation } from './state-patch.ts';
import type { BlobReference, Stored } from './stored.ts';
import type { SegmentReference } from './segment.ts';
import type { ConversationResult } from './status.ts';
import type { Usage } from './usage.ts';
import type { Who } from './who.ts';

/** Inputs and outputs of the activities (format.md §2). All of it is recorded in history. */

/** Of an activity that writes into the blob store. */
export interface OfStore {
  /** Id of the store that the conversation began with; empty before it is known, absent in old runs. */
  readonly store?: string;
}

export interface SpecInput extends OfStore {
  readonly agent: string;
  readonly context: Json;
  readonly capabilities: readonly string[];
  readonly control: 'policy' | 'approve';
  readonly by?: Who;
  readonly tenant?: string;
  /** The shared state to begin with: checked by the agent's schema, no part of the spec. */
  readonly state?: Json;
}

export interface ModelInput {
  /** Digest of the spec, by which a worker caches it. */
  readonly spec: string;
  readonly position: Position;
  readonly items: readonly Item[];
  readonly rules: readonly RememberedRule[];
  readonly modelIndex: number;
  /** The n-th schedule of this completion, from 1; watchers see it in the reset event. */
  readonly attempt: number;
  readonly view?: View;
  readonly state?: Json;
  /** No tools: the one completion after a limit under `onLimit: 'wrapUp'`. */
  readonly wrapUp?: boolean;
  /** Images and documents are left out: with them the service refused the request. */
  readonly withoutParts?: boolean;
  readonly usage: Usage;
  readonly segment?: SegmentReference;
  /** `deployPatience` is over: a call of a tool that the worker's code lacks is an unknown tool. */
  readonly patienceOver?: boolean;
}

export type StopReasonOfModel =
  'end' | 'tool_calls' | 'max_tokens' | 'refused' | 'context_overflow' | 'unparseable' | 'other';

export interface ModelOutput {
  /** The provider's turn as it came. */
  readonly turn: Stored<Json>;
  readonly format: string;
  readonly entryDigest: string;
  /** The transcript's digest and count up to and including this turn. */
  readonly transcriptDigest: string;
  readonly count: number;
  readonly text?: Stored<string>;
  readonly output?: Stored<Json>;
  readonly stopReason: StopReasonOfModel;
  readonly usage: Usage;
  /** US dollars; absent when the model has no price. */
  readonly cost?: number;
  readonly requestId?: string;
  readonly model: string;
  readonly plan: readonly PlannedCall[];
  /** Estimated tokens of the request, corrected by the provider's figures where they came. */
  readonly contextTokens?: number;
  /** What the request linter mended, in words. */
  readonly repairs?: readonly string[];
}

/** Input of a tool's activity, and of `perdure.reconcile`. */
export interface CallInput {
  readonly spec: string;
  readonly key: string;
  /** Ends the idempotency key that the tool gets: the workflow was reset after the call was planned. */
  readonly keyRenewal?: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: Stored<Json>;
  readonly edited?: { readonly originalDigest: string; readonly by: Who };
  /** The n-th schedule of this call, from 1. */
  readonly attempt: number;
  /** What earlier attempts may have done; absent: nothing. */
  readonly earlier?: 'happened' | 'unknown';
  readonly state?: Json;
  readonly segment?: SegmentReference;
}

/** Output of a tool's activity: the settled outcome. */
export interface CallOutput {
  readonly outcome: Category;
  readonly effect: EffectState;
  readonly content: Stored<Content>;
  readonly shownAs?: Stored<Content>;
  readonly original?: BlobReference;
  /** Digest of the result entry. */
  readonly digest: string;
  readonly size: number;
  readonly tokens: number;
  /** RFC 6902; applied by the workflow after the batch, in call order. */
  readonly patch?: readonly Operation[];
  /** Identity of the worker that ran the attempt, for the audit. */
  readonly worker?: string;
}

/** Output of `perdure.reconcile`: settled (`done`, or given up), or `not_done`. */
export type ReconcileOutput =
  | { readonly status: 'done' | 'unknown'; readonly output: CallOutput }
  | { readonly status: 'not_done' };

export interface ValidateInput {
  readonly spec: string;
  readonly key: string;
  readonly tool: string;
  readonly input: Stored<Json>;
  readonly segment?: SegmentReference;
}

export type ValidateOutput =
  | { readonly problems: readonly string[] }
  | { readonly input: Stored<Json>; readonly digest: string; readonly summary: string };

/**
 * A value that is too large for history, as its JSON text in slices that fit a payload. All but the
 * last are kept as they are; the last call joins them into the blob of the whole value.
 */
export interface BlobInput extends OfStore {
  readonly slice: string;
  /** Blobs of the slices before this one, in order. */
  readonly after: readonly string[];
  readonly last: boolean;
}

export interface BlobOutput {
  readonly reference: BlobReference;
}

export interface SegmentInput extends OfStore {
  readonly position: Position;
  /** Not yet in any input; they end the segment. */
  readonly items: readonly Item[];
  /** Results of an open batch, by activity id. */
  readonly loose: readonly { readonly activityId: string; readonly digest: string }[];
  readonly previous: SegmentReference | null;
  /** What is summarised before this entry need not be read. */
  readonly shownFrom?: number;
}

export interface SegmentOutput extends SegmentReference {
  /** The digest of each item of the input, in order. */
  readonly itemDigests: readonly string[];
}

/** How a conversation ended, in Temporal's words. */
export interface Ending {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  /** Of a failed one too: the result so far. */
  readonly result?: ConversationResult;
  readonly failure?: { readonly type: string; readonly message: string };
}

export interface KeepInput extends OfStore {
  readonly agent: string;
  readonly ending: Ending;
  /** The newest; null when nothing was ever said. */
  readonly segment: SegmentReference | null;
}

export interface KeepOutput {
  /** SHA-256 of the manifest's blob. */
  readonly manifest: string;
}

export interface CompactInput {
  readonly spec: string;
  readonly position: Position;
  readonly items: readonly Item[];
  readonly view?: View;
  readonly segment?: SegmentReference;
  readonly reason: 'budget' | 'overflow';
  /** Tokens of context above which the transcript is compacted. */
  readonly budget?: number;
  /** Tokens of the last request, as the provider counted them. */
  readonly contextTokens?: number;
  readonly modelIndex: number;
}

export interface CompactOutput {
  /** Absent: nothing had to be shown shorter. */
  readonly view?: View;
  /** Set when a summary was made: the new entry, which `view.summary` shows in place of others. */
  readonly entry?: SummaryEntry;
  readonly usage: Usage;
  readonly cost?: number;
  readonly model?: string;
  /** Of the next request, counted or estimated. */
  readonly contextTokens?: number;
  /** Why it was done another way than the agent asks for. */
  readonly problem?: string;
}
