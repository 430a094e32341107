import type { ApprovalSettings } from './approval-settings.ts';
import type { Effect } from './effect.ts';
import type { Json, JsonObject } from './json.ts';
import type { Limits, OnLimit } from './limits.ts';
import type { Stored } from './stored.ts';
import type { Who } from './who.ts';

/** How transient failures of `read` and `idempotent` tools are repeated. */
export interface RetrySettings {
  readonly attempts: number;
  readonly initialIntervalMs: number;
  readonly backoff: number;
  readonly maximumIntervalMs: number;
}

export const DEFAULT_RETRY: RetrySettings = {
  attempts: 4,
  initialIntervalMs: 1_000,
  backoff: 2,
  maximumIntervalMs: 60_000,
};

/** One tool as it was when the conversation began. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly effect: Effect;
  readonly dangerous: boolean;
  readonly parallelSafe: boolean;
  readonly timeoutMs: number;
  readonly retry: RetrySettings;
  readonly taskQueue?: string;
  readonly capabilities: readonly string[];
  readonly usesState: boolean;
  readonly completion: 'return' | 'later';
  readonly maxResultChars: number;
  /** Whether the tool's code has a `reconcile`. */
  readonly reconciles: boolean;
  /** `true`, `false`, or `code`: the tool's own function decides per call. */
  readonly needsApproval: boolean | 'code';
  readonly approval: ApprovalSettings;
}

/** The frozen, JSON form of an agent that a conversation runs on. Only activities read it whole. */
export interface Spec {
  readonly agent: string;
  readonly models: readonly { readonly id: string; readonly provider: string }[];
  readonly instructions: string;
  /** In the order in which they are sent to the model, for the life of the conversation. */
  readonly tools: readonly ToolSpec[];
  readonly hostedTools: readonly JsonObject[];
  readonly output?: JsonObject;
  readonly context: Json;
  readonly capabilities: readonly string[];
  readonly control: 'policy' | 'approve';
  readonly modelOptions: JsonObject;
  readonly maxOutputTokens: number;
  readonly by?: Who;
  readonly tenant?: string;
}

/** The part of a spec by which the workflow decides; small, always inline in history. */
export interface Settings {
  readonly agent: string;
  readonly models: readonly string[];
  readonly tools: readonly { readonly name: string; readonly effect: Effect }[];
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  readonly maxParallel: number;
  readonly runAsDecided: boolean;
  readonly approval: ApprovalSettings;
  /** Tokens of context above which the transcript is compacted; absent: never by budget. */
  readonly contextBudget?: number;
  readonly modelPatienceMs: number;
  readonly onAgentChange: 'keep' | 'adopt';
  /** Whether the namespace has our search attributes: an unknown one would stick the run. */
  readonly searchAttributes: boolean;
  readonly heartbeatTimeoutMs: number;
  readonly inlineLimitBytes: number;
  /** Task queue per model id, where one is configured for its rate. */
  readonly modelTaskQueues?: { readonly [model: string]: string };
  /** Whether the transcript is kept past the server's retention when the conversation ends. */
  readonly keepTranscripts?: boolean;
  /** Continue-as-new of our own: bytes and events of a run's history. */
  readonly handOver: { readonly bytes: number; readonly events: number };
}

/** What the activity `perdure.spec` returns. */
export interface SpecRecord {
  /** SHA-256 over the RFC 8785 form of the spec. */
  readonly digest: string;
  readonly spec: Stored<Spec>;
  readonly settings: Settings;
  /** The random id in the blob store that this conversation began with. */
  readonly blobStore: string;
}
