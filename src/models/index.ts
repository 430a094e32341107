export type {
  AssistantMessage,
  Block,
  ModelRequest,
  RequestMessage,
  RequestTool,
  ToolCallBlock,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from '../core/model-request.ts';
export type { Usage } from '../core/usage.ts';
export { anthropic, type AnthropicOptions } from './anthropic/anthropic.ts';
export type { AnthropicModelOptions } from './anthropic/anthropic-model.ts';
export {
  anthropicBedrock,
  type AnthropicBedrockOptions,
  anthropicVertex,
  type AnthropicVertexOptions,
} from './anthropic/platforms.ts';
export { estimateUsage } from './estimate-usage.ts';
export { type IdleLimits, type IdleTimer, startIdleTimer } from './idle-timer.ts';
export {
  type CompleteOptions,
  type Completion,
  type CompletionEvent,
  type Model,
  ModelFailure,
} from './model.ts';
export {
  openai,
  openaiCompatible,
  type OpenAICompatibleOptions,
} from './openai-compatible/openai-compatible.ts';
export type { PresetName } from './openai-compatible/presets.ts';
export type { Quirks } from './openai-compatible/quirks.ts';
export {
  openaiResponses,
  type OpenAIResponsesOptions,
} from './openai-responses/openai-responses.ts';
export { costOf, type Price, type PriceList, priceOf, shippedPrices } from './prices.ts';
export { readArguments } from './read-arguments.ts';
export { retryAfterMs } from './retry-after.ts';
export {
  type Script,
  scripted,
  type ScriptedCall,
  type ScriptedOptions,
  type ScriptedStep,
  type ScriptedTurn,
  toolCall,
} from './scripted.ts';
export type {
  TextComplete,
  TextMessage,
  TextOptions,
  TextPrompt,
  TextReply,
} from './text-protocol/prompt.ts';
export { textProtocol, type TextProtocolOptions } from './text-protocol/text-protocol.ts';
