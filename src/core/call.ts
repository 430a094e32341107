import type { ApprovalSettings } from './approval-settings.ts';
import type { Effect } from './effect.ts';
import type { Json } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { RetrySettings } from './spec.ts';
import { previewOf, type Stored } from './stored.ts';

/** One tool call as the model activity planned it: what the workflow needs, and no more. */
export interface PlannedCall {
  /** `<conversation>/<turn>.<step>.<index>.<random>`: ours, unique, new after a reset. */
  readonly key: string;
  /** The provider's id; may repeat. */
  readonly callId: string;
  readonly index: number;
  readonly tool: string;
  /** The effective arguments. */
  readonly input: Stored<Json>;
  /** SHA-256 over the RFC 8785 form of the effective arguments. */
  readonly inputDigest: string;
  /** Set when a policy rewrote the arguments: the digest of what the model sent. */
  readonly originalDigest?: string;
  readonly verdict: 'run' | 'ask' | { readonly settled: Outcome };
  /** Why it asks, or why policy settled it. */
  readonly reason?: string;
  /** The rule (by id) that answers this `ask`, if the conversation still has it. */
  readonly rule?: string;
  readonly effect: Effect;
  readonly danger: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly taskQueue?: string;
  readonly parallelSafe: boolean;
  readonly usesState?: boolean;
  readonly completion?: 'later';
  readonly reconciles?: boolean;
  readonly retry?: RetrySettings;
  readonly approval?: ApprovalSettings;
  /** One line for approvers and the UI. */
  readonly summary: string;
}

export interface CallPosition {
  readonly turn: number;
  readonly step: number;
  readonly index: number;
}

/** Where in the conversation a key's call stands. Throws on a text that is no key. */
export function positionOfKey(key: string): CallPosition {
  const match = /(?:^|\/)(\d+)\.(\d+)\.(\d+)\.[^/.]+$/.exec(key);
  if (match === null) {
    const shown = JSON.stringify(previewOf(key, 100));
    throw new Error(
      `expected a call key, <conversation>/<turn>.<step>.<index>.<random>, got ${shown}`,
    );
  }
  return { turn: Number(match[1]), step: Number(match[2]), index: Number(match[3]) };
}
