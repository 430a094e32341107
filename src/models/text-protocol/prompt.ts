import type { Part } from '../../core/content.ts';
import type { Usage } from '../../core/usage.ts';
import type { JsonObject } from '../../core/json.ts';

/** What a text model is asked: instructions, and a dialogue in which user and assistant take turns. */
export interface TextPrompt {
  readonly system: string;
  readonly messages: readonly TextMessage[];
}

export interface TextMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Images and documents, for models that take them. */
  readonly parts?: readonly Part[];
}

export interface TextOptions {
  readonly signal: AbortSignal;
  /** Give each piece of text as it arrives. Without it the answer is shown when it is whole. */
  readonly onText: (piece: string) => void;
  /** The model may stop at these; they may be missing from the text. */
  readonly stop: readonly string[];
  readonly maxOutputTokens: number;
  /** The agent's `modelOptions`. */
  readonly modelOptions: JsonObject;
}

export interface TextReply {
  readonly text: string;
  /** `max_tokens`: the text was cut. Default `end`. */
  readonly stopReason?: 'end' | 'max_tokens' | 'refused' | 'context_overflow' | 'other';
  readonly providerStopReason?: string;
  /** Default: estimated from characters. */
  readonly usage?: Usage;
  readonly requestId?: string;
  readonly model?: string;
}

/** Any way from text to text. What it throws is a failed completion. */
export type TextComplete = (
  prompt: TextPrompt,
  options: TextOptions,
) => Promise<string | TextReply>;
