import type { PlannedCall } from '../../core/call.ts';
import type { Content } from '../../core/content.ts';
import type { EffectState } from '../../core/effect.ts';
import type { Json } from '../../core/json.ts';
import type { Category } from '../../core/outcome.ts';
import type { Stored } from '../../core/stored.ts';
import type { RecordedFailure } from './recorded-event.ts';

/** One schedule of an activity for a call: the tool itself, its reconciliation, or a check of an edit. */
export interface RecordedAttempt {
  readonly activityId: string;
  readonly kind: 'tool' | 'reconcile' | 'validate';
  readonly run: string;
  readonly scheduledAt: string;
  /** Recorded with its end; absent while it runs. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Identity of the worker. */
  readonly worker?: string;
  readonly state: 'open' | 'completed' | 'failed' | 'timed_out' | 'cancelled';
  readonly failure?: RecordedFailure;
}

/** A person's verdict as it arrived, whether or not it was the one that counted. */
export interface RecordedDecision {
  readonly decision: 'approve' | 'deny';
  readonly key?: string;
  readonly callId?: string;
  readonly by?: Json;
  /** ISO 8601. */
  readonly at: string;
  readonly via: 'signal' | 'update';
  readonly reason?: string;
  /** The arguments that the person put in place of the model's. */
  readonly input?: Json;
  readonly remember?: Json;
  readonly verdictId?: string;
  /** Why an update was refused. What became of a signal is said by notes in the transcript. */
  readonly refusal?: RecordedFailure & { readonly details: unknown };
}

/** All that history says of one call. */
export interface RecordedCall {
  readonly turn: number;
  readonly step: number;
  /** As the model activity planned it: arguments, verdict, summary. */
  readonly planned: PlannedCall;
  readonly plannedAt: string;
  /** What it ran with, where a person or a policy changed the arguments. */
  readonly effectiveInput?: Stored<Json>;
  readonly decisions: readonly RecordedDecision[];
  readonly attempts: readonly RecordedAttempt[];
  /** Absent while the call is not settled. */
  readonly result?: RecordedResult;
}

export interface RecordedResult {
  readonly outcome: Category;
  readonly effect: EffectState;
  readonly content: Stored<Content>;
  readonly shownAs?: Stored<Content>;
  readonly size?: number;
  readonly tokens?: number;
  /** Whether it is in the transcript; a call of a turn that was given up may have ended all the same. */
  readonly inTranscript: boolean;
}

/** What history says of all calls, in the order in which they were planned. */
export interface RecordedCalls {
  readonly calls: readonly RecordedCall[];
  /** Verdicts about no call that history knows: about a budget, mistaken, or older than this history. */
  readonly otherDecisions: readonly RecordedDecision[];
}
