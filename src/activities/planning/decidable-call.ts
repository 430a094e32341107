import type { JsonObject } from '../../core/json.ts';
import type { ToolSpec } from '../../core/spec.ts';
import type { Policy } from '../../tools/agent.ts';
import type { CallInfo, Tool } from '../../tools/tool.ts';

/** A call that is known, held and valid by the conversation's schema. */
export interface DecidableCall {
  readonly tool: ToolSpec;
  /** Today's code of the tool; undefined where another worker may have it. */
  readonly code: Tool<never> | undefined;
  readonly input: JsonObject;
  readonly callId: string;
  readonly key: string;
}

/** What decides about it. */
export interface DecisionRules {
  readonly control: 'policy' | 'approve';
  readonly policy: Policy | undefined;
  readonly info: CallInfo;
  /** For each piece of an author's code; milliseconds. */
  readonly limitMs: number;
}
