import type { Json } from './json.ts';
import type { Limits } from './limits.ts';
import type { RememberedRule } from './remember-rules.ts';
import type { Stored } from './stored.ts';
import type { Usage } from './usage.ts';

export type Status =
  | 'starting'
  | 'running'
  | 'waiting_input'
  | 'waiting_approval'
  | 'waiting_model'
  | 'waiting_worker'
  | 'handing_over'
  | 'closing';

export const STOP_REASONS = [
  'answered',
  'max_steps',
  'deadline',
  'max_tokens',
  'max_cost',
  'max_calls',
  'refused',
  'truncated',
  'context_overflow',
  'unparseable',
  'stopped',
  'closed',
  'idle',
  'approval_expired',
  'model_unavailable',
  'model_rejected',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Query `status` (format.md §1). */
export interface StatusAnswer {
  readonly status: Status;
  readonly agent: string;
  readonly mode: 'task' | 'chat';
  readonly turn: number;
  readonly step: number;
  readonly run: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly pending: number;
  readonly queued: number;
  readonly waitingUntil?: string;
  readonly waitingFor?: string;
  readonly usage: Usage;
  /** US dollars. */
  readonly cost?: number;
  readonly limits: Limits;
  readonly rules: readonly RememberedRule[];
  /** The last that has ended, never the one that runs. */
  readonly lastTurn?: {
    readonly turn: number;
    readonly stopReason: StopReason;
    /** Why, where the turn did not end in an answer. */
    readonly message?: string;
    readonly text: Stored<string>;
  };
}

/** What a completed conversation returns, and a failed one carries as its failure's details. */
export interface ConversationResult {
  readonly status: 'completed' | 'partial';
  readonly stopReason: StopReason;
  /** The last turn's text, at most 64 KiB inline. */
  readonly text: Stored<string>;
  /** The structured answer, where the agent declares an `output` schema; at most 32 KiB inline. */
  readonly output?: Stored<Json>;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost?: number;
  readonly summary: ConversationSummary;
}

export interface ConversationSummary {
  /** Calls per tool and category. */
  readonly calls: { readonly [tool: string]: { readonly [category: string]: number } };
  readonly completions: number;
  readonly usagePerModel: { readonly [model: string]: Usage };
  /** Attempts at completions that failed; absent: none did. Usage that arrived all the same is counted. */
  readonly failedAttempts?: {
    readonly count: number;
    /** Of these nobody knows what they used: no usage arrived. */
    readonly withoutUsage: number;
  };
  /** The same call (tool and arguments) made several times. */
  readonly repeated: readonly {
    readonly tool: string;
    readonly inputDigest: string;
    readonly times: number;
    /** Nobody knows whether one of them had its effect. */
    readonly effectUnknown?: true;
  }[];
  readonly warnings: readonly string[];
}

/** A page of a bounded list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: number;
}
