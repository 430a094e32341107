import type { Content, Part } from '../core/content.ts';
import type { Duration } from '../core/duration.ts';
import type { Effect, EffectState } from '../core/effect.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Operation } from '../core/state-patch.ts';
import type { Usage } from '../core/usage.ts';
import type { Who } from '../core/who.ts';

/** What a tool's code gets beside its input. */
export interface ToolContext<Deps = {}> {
  /** The worker-side dependencies; never in history, never in the prompt. */
  readonly deps: Deps;
  /** The JSON that the starter gave: tenant, user, … */
  readonly context: Json;
  readonly conversationId: string;
  readonly callId: string;
  /** The call's key: the same on every attempt, new after a reset. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  /** Aborts on stop, cancel, timeout and a worker's shutdown. */
  readonly signal: AbortSignal;
  readonly log: ToolLog;
  /** A copy of the shared state, for tools that declare `usesState`. */
  readonly state: Json;
  /** Live progress for watchers; dropped once the tool has returned. */
  emit(activityType: string, patch: readonly Operation[]): void;
  /** For `completion: 'later'`: the token with which another service completes this call. */
  readonly completionToken?: string;
}

export interface ToolLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** What policies and approval functions know of the conversation. */
export interface CallInfo {
  readonly conversationId: string;
  readonly agent: string;
  readonly turn: number;
  readonly step: number;
  readonly by?: Who;
  readonly tenant?: string;
  readonly context: Json;
  readonly state: Json;
  readonly capabilities: readonly string[];
  readonly usage: Usage;
}

export interface ApprovalOptions {
  /** Default: none, it waits. */
  readonly timeout?: Duration;
  /** Default `deny`. */
  readonly expire?: 'deny' | 'fail';
  readonly remindAfter?: Duration;
  readonly escalate?: readonly { readonly after: Duration; readonly askedOf: string }[];
  readonly askedOf?: string;
  readonly quorum?: number;
  readonly notBy?: 'starter';
  readonly onMessageWhileWaiting?: 'queue' | 'deny';
}

export interface RetryOptions {
  /** Default 4. */
  readonly attempts?: number;
  /** Default 1 s. */
  readonly initialInterval?: Duration;
  /** Default 2. */
  readonly backoff?: number;
  /** Default 60 s. */
  readonly maximumInterval?: Duration;
}

export type ReconcileAnswer<Output = unknown> =
  | { readonly status: 'done'; readonly output: Output }
  | { readonly status: 'not_done' }
  | { readonly status: 'unknown' };

/**
 * A tool as it is registered: schema compiled, defaults applied, types erased. `defineTool` makes
 * it; activities run it.
 */
export interface Tool<Deps = {}> {
  readonly kind: 'tool';
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 with an object root: what the model sees, what judges, what a person approves. */
  readonly inputSchema: JsonObject;
  readonly effect: Effect;
  readonly needsApproval: boolean | ((input: never, info: CallInfo) => boolean | Promise<boolean>);
  readonly dangerous: boolean;
  readonly parallelSafe: boolean;
  readonly timeoutMs: number;
  readonly retry?: RetryOptions;
  readonly taskQueue?: string;
  readonly capabilities: readonly string[];
  readonly usesState: boolean;
  readonly completion: 'return' | 'later';
  readonly maxResultChars: number;
  readonly approval?: ApprovalOptions;
  readonly summary?: (input: never) => string;
  readonly reconcile?: (
    input: never,
    ctx: ToolContext<Deps>,
  ) => ReconcileAnswer | Promise<ReconcileAnswer>;
  readonly execute: (input: never, ctx: ToolContext<Deps>) => unknown;
  /** The schema library's own parse, after the JSON Schema allowed the input; its output is what `execute` gets. */
  readonly parse: (
    input: Json,
  ) => Promise<{ readonly value: unknown } | { readonly problems: readonly string[] }>;
}

/** An expected failure of a tool; by throwing it the author vouches that nothing happened, or says otherwise. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly effect: EffectState;
  /** Worth another attempt, by the tool's `retry`; never for a `once` tool. */
  readonly retryable: boolean;

  constructor(
    message: string,
    options: {
      readonly effect?: EffectState;
      readonly retryable?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.effect = options.effect ?? 'none';
    this.retryable = options.retryable ?? false;
  }
}

const TOOL_OUTPUT = Symbol.for('perdure.toolOutput');

/** A tool's value together with what goes beside it. */
export interface ToolOutput {
  readonly [TOOL_OUTPUT]: true;
  readonly value: unknown;
  /** RFC 6902, applied to the shared state after the batch, all or nothing. */
  readonly stateUpdate?: readonly Operation[];
  /** Parts (images, documents) for the model, in place of the value. */
  readonly content?: Content | readonly Part[];
}

/** Returns a value with a change of the shared state, or with content parts for the model. */
export function toolOutput(
  value: unknown,
  beside: { readonly stateUpdate?: readonly Operation[]; readonly content?: Content } = {},
): ToolOutput {
  return { [TOOL_OUTPUT]: true, value, ...beside };
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === 'object' && value !== null && TOOL_OUTPUT in value;
}
