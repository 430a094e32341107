import type { StopReasonOfModel } from '../../core/activity-shapes.ts';
import type { Json } from '../../core/json.ts';
import type { Block } from '../../core/model-request.ts';
import type { RememberedRule } from '../../core/remember-rules.ts';
import type { Spec } from '../../core/spec.ts';
import type { Usage } from '../../core/usage.ts';
import type { Agent } from '../../tools/agent.ts';
import type { ActivityEnvironment } from '../environment.ts';

/** A completion whose calls are to be planned. */
export interface PlanRequest {
  readonly environment: Pick<
    ActivityEnvironment,
    'blobs' | 'deployPatienceMs' | 'inlineLimitBytes' | 'identity'
  >;
  readonly spec: Spec;
  /** Today's code of the agent. */
  readonly agent: Agent<never>;
  readonly position: { readonly turn: number; readonly step: number };
  readonly conversationId: string;
  /** The completion's turn in the neutral view. */
  readonly blocks: readonly Block[];
  readonly stopReason: StopReasonOfModel;
  readonly rules: readonly RememberedRule[];
  /** The shared state, for policies. */
  readonly state?: Json | undefined;
  /** Of the conversation so far. */
  readonly usage: Usage;
  /** No worker of the fleet will know a tool that this one does not: the calls of it are settled. */
  readonly patienceOver?: boolean;
  /** For each piece of an author's code; default 10 s. */
  readonly codeLimitMs?: number;
}
