import type { Part } from './content.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * A block of an assistant turn in the neutral view (the Messages API's own shape): what is displayed,
 * dispatched and linted. What the view has no word for is `opaque` and travels unchanged.
 */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly signed: boolean }
  | ToolCallBlock
  | { readonly type: 'opaque'; readonly value: Json };

export interface ToolCallBlock {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; a string that did not parse stays in `malformed`. */
  readonly input: Json;
  /** Why the arguments could not be read, with the parser's words. */
  readonly malformed?: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly Part[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  /** Which adapter made `raw`. Another adapter renders from `blocks`. */
  readonly format: string;
  readonly model: string;
  /** The provider's turn; null once a repair changed `blocks`: then they are what is sent. */
  readonly raw: Json | null;
  readonly blocks: readonly Block[];
}

export interface ToolMessage {
  readonly role: 'tool';
  /** In call order; follows the assistant message that made the calls. */
  readonly results: readonly ToolResultPart[];
}

export interface ToolResultPart {
  readonly callId: string;
  readonly tool: string;
  readonly content: readonly Part[];
  readonly isError: boolean;
}

export type RequestMessage = UserMessage | AssistantMessage | ToolMessage;

export interface RequestTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** What an adapter is asked to complete. `system` and `tools` are the same on every request of a conversation. */
export interface ModelRequest {
  readonly conversationId: string;
  readonly system: string;
  readonly tools: readonly RequestTool[];
  /** Declarations of what the provider runs itself, in the provider's own form. */
  readonly hostedTools: readonly JsonObject[];
  readonly messages: readonly RequestMessage[];
  readonly maxOutputTokens: number;
  /** JSON Schema of the final answer, for providers that take one. */
  readonly output?: JsonObject;
  /** `none`: the model may not call tools in this completion (wrap-up). */
  readonly toolChoice?: 'auto' | 'none';
  /** The agent's `modelOptions`, passed on in the adapter's own words. */
  readonly options: JsonObject;
  /** The n-th schedule of this completion, from 1. Never sent; scripted models fail by it. */
  readonly attempt?: number;
}
