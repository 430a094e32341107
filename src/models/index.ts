export { anthropic, type AnthropicOptions } from './anthropic/anthropic.ts';
export type { AnthropicModelOptions } from './anthropic/anthropic-model.ts';
export {
  anthropicBedrock,
  type AnthropicBedrockOptions,
  anthropicVertex,
  type AnthropicVertexOptions,
} from './anthropic/platforms.ts';
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
export { costOf, type Price, type PriceList, priceOf, shippedPrices } from './prices.ts';
export {
  type Script,
  scripted,
  type ScriptedCall,
  type ScriptedOptions,
  type ScriptedStep,
  type ScriptedTurn,
  toolCall,
} from './scripted.ts';
