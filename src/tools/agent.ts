import type { CallInfo, ApprovalOptions, Tool } from './tool.ts';
import type { Duration } from '../core/duration.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Limits, OnLimit } from '../core/limits.ts';
import type { Model } from '../models/model.ts';
import type { CompactionSettings, OnCompact } from './compaction-options.ts';

/** What `instructions` as a function may use; evaluated once per conversation. */
export interface InstructionsInfo {
  readonly agent: string;
  readonly context: Json;
  readonly capabilities: readonly string[];
  /** Names of the tools that this conversation has. */
  readonly tools: readonly string[];
}

/** What a policy is asked about: a call that is known, held and valid. */
export interface PolicyCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly effect: 'read' | 'idempotent' | 'once';
  readonly dangerous: boolean;
  readonly callId: string;
  readonly key: string;
}

export type PolicyAnswer =
  'allow' | 'ask' | { readonly deny: string } | { readonly input: JsonObject };

export type Policy = (call: PolicyCall, info: CallInfo) => PolicyAnswer | Promise<PolicyAnswer>;

/** An agent as it is registered: checked, with every default applied. It runs nothing. */
export interface Agent<Deps = {}> {
  readonly kind: 'agent';
  readonly name: string;
  /** The first is tried, the next is the fallback. */
  readonly models: readonly Model[];
  readonly instructions: string | ((info: InstructionsInfo) => string | Promise<string>);
  readonly tools: readonly Tool<Deps>[];
  readonly hostedTools: readonly JsonObject[];
  readonly contextSchema?: JsonObject;
  readonly stateSchema?: JsonObject;
  readonly output?: JsonObject;
  readonly control: 'policy' | 'approve';
  readonly policy?: Policy;
  readonly approval?: ApprovalOptions;
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  readonly maxParallel: number;
  readonly runAsDecided: boolean;
  readonly contextBudget?: number;
  readonly compaction: CompactionSettings;
  readonly onCompact?: OnCompact;
  readonly modelPatience: Duration;
  readonly modelOptions: JsonObject;
  readonly onAgentChange: 'keep' | 'adopt';
}
