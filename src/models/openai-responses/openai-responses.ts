import type { JsonObject } from '../../core/json.ts';
import type { IdleLimits } from '../idle-timer.ts';
import type { Model } from '../model.ts';
import { classifyError } from '../openai-compatible/classify-error.ts';
import { type ClientOptions, connect } from '../openai-compatible/client.ts';
import { PRESETS } from '../openai-compatible/presets.ts';
import { costOf, type Price, priceOf } from '../prices.ts';
import { smallestRequest } from '../smallest-request.ts';
import { completeTurn, type CompleteTurnSettings } from './complete-turn.ts';
import { RESPONSES_FORMAT, viewRawTurn } from './raw-turn.ts';

export interface OpenAIResponsesOptions extends Omit<ClientOptions, 'model'>, IdleLimits {
  /** Sent with every request, in the API's words; the agent's `modelOptions` win. */
  readonly modelOptions?: JsonObject;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Default: none, so no cost. */
  readonly price?: Price;
}

/**
 * A model of OpenAI's Responses API: for reasoning that goes on over tool calls, and for the tools
 * that OpenAI runs. Nothing is stored at the service; reasoning travels encrypted.
 */
export function openaiResponses(id: string, options: OpenAIResponsesOptions = {}): Model {
  const settings: CompleteTurnSettings = {
    model: id,
    learned: new Set(),
    modelOptions: options.modelOptions ?? {},
    idle: options,
    fetch: options.fetch ?? fetch,
  };
  const price = options.price ?? priceOf(id);
  const model: Model = {
    id,
    provider: 'openai',
    format: RESPONSES_FORMAT,
    view: viewRawTurn,
    ...(price === undefined ? {} : { cost: (usage) => costOf(usage, price) }),
    async complete(request, completeOptions) {
      try {
        const client = connect({ ...options, model: id }, PRESETS.openai);
        return await completeTurn(client, request, { ...completeOptions, settings });
      } catch (error) {
        throw classifyError(error);
      }
    },
    async check({ signal }) {
      await model.complete(smallestRequest(), { signal, onEvent: () => undefined });
    },
  };
  return model;
}
