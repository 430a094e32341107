import type { ApprovalBook } from './approval.ts';
import type { PlannedCall } from './call.ts';
import type { CompactionFloor } from './compaction-due.ts';
import type { Item, Position, View } from './entry.ts';
import type { Inbox } from './inbox.ts';
import type { Json } from './json.ts';
import type { Limits } from './limits.ts';
import type { Stop } from './message.ts';
import type { EffectState } from './effect.ts';
import type { Category } from './outcome.ts';
import type { RememberedRule } from './remember-rules.ts';
import type { SegmentReference } from './segment.ts';
import type { SpecRecord } from './spec.ts';
import type { Operation } from './state-patch.ts';
import type { ConversationSummary, StatusAnswer } from './status.ts';
import type { Stored } from './stored.ts';
import type { Usage } from './usage.ts';
import type { Who } from './who.ts';

/** A call's one result, as the workflow keeps it until the batch is complete. */
export interface SettledCall {
  readonly item: Item;
  readonly outcome: Category;
  readonly effect: EffectState;
  readonly size: number;
  readonly tokens: number;
  readonly preview: string;
  readonly patch?: readonly Operation[];
}

/** A batch whose calls wait for people: what a hand-over carries of it. */
export interface OpenBatch {
  readonly plan: readonly PlannedCall[];
  /** By index; null where the call is not settled. */
  readonly settled: readonly (SettledCall | null)[];
  /** Ends its calls' idempotency keys: it was handed over by a run that had been reset. */
  readonly keyRenewal?: string;
}

/** The turn that is running. */
export interface RunningTurn {
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Milliseconds of this turn that were waits for people. */
  readonly waitedMs: number;
  /** Completions of this turn whose calls all were cut off, one after another. */
  readonly truncatedInARow: number;
  /** Whether the transcript was compacted for an overflow, and no completion has fitted since. */
  readonly overflowCompacted: boolean;
  /** Whether images and documents are left out of this turn's requests, which were refused with them. */
  readonly withoutParts?: boolean;
  /** How often a person extended a limit in this turn. */
  readonly extensions: number;
  /** Of the newest completion: the answer, should the turn end with it. */
  readonly text?: Stored<string>;
  /** A completion that is to be tried again: the run was handed over while it waited. */
  readonly retrying?: RetryingCompletion;
}

export interface RetryingCompletion {
  /** Schedules so far. */
  readonly attempts: number;
  /** Failed ones of the present model, and what they spent of its patience. */
  readonly failed: { readonly count: number; readonly spentMs: number };
  /** Not before this time, in milliseconds since 1970. */
  readonly notBeforeMs: number;
}

/**
 * All that a conversation remembers: plain JSON, handed over at continue-as-new as it is. The
 * transcript is not in it (history has that), only where the transcript stands.
 */
export interface ConversationState {
  readonly agent: string;
  readonly mode: 'task' | 'chat';
  readonly startedAt: string;
  readonly by?: Who;
  readonly tenant?: string;
  readonly tags?: readonly string[];
  readonly idleTimeoutMs: number;
  /** Mode `chat`: since when it waits for a message, in milliseconds since 1970. */
  readonly idleSinceMs?: number;
  readonly context: Json;
  readonly capabilities: readonly string[];
  readonly control: 'policy' | 'approve';
  readonly askedLimits: Partial<Limits>;
  /** The starter's own timeout of every approval; it only shortens what tool and agent say. */
  readonly approvalTimeoutMs?: number;

  readonly spec: SpecRecord;
  readonly limits: Limits;
  readonly position: Position;
  /** What came since the position, in transcript order. */
  readonly items: readonly Item[];
  readonly view?: View;
  readonly segment: SegmentReference | null;

  readonly turn: number;
  readonly step: number;
  readonly running?: RunningTurn;
  readonly batch?: OpenBatch;
  readonly modelIndex: number;

  readonly inbox: Inbox;
  readonly approvals: ApprovalBook;
  readonly rules: readonly RememberedRule[];
  readonly shared: { readonly state: Json; readonly version: number };
  readonly usage: Usage;
  readonly cost?: number;
  readonly calls: number;
  /** Of the last request, as the provider counted them. */
  readonly contextTokens: number;
  /** Estimated, of what waits for the next request. */
  readonly waitingTokens: number;
  readonly compactionFloor?: CompactionFloor;
  readonly summary: ConversationSummary;
  readonly lastTurn?: StatusAnswer['lastTurn'];
  /** The last structured answer, where the agent declares a schema. */
  readonly output?: Stored<Json>;
  /** Told during a hand-over: the next run's turn is to be interrupted. */
  readonly stop?: Stop;
  /** Messages that the stop is about, where no turn ran: those behind it begin a turn of their own. */
  readonly stoppedMessages?: number;
  readonly closing: boolean;
  readonly counters: {
    readonly blob: number;
    readonly segment: number;
    readonly edit: number;
    readonly message: number;
  };
}

/** The argument of a run that continues another; believed only when the run has a predecessor. */
export interface Resumed {
  readonly resumed: ConversationState;
}
