import type { JsonObject } from '../../core/json.ts';
import type { IdleLimits } from '../idle-timer.ts';
import { type Model, ModelFailure } from '../model.ts';
import { costOf, type Price, priceOf } from '../prices.ts';
import { smallestRequest } from '../smallest-request.ts';
import { buildRequest } from './build-request.ts';
import type { CacheLifetime } from './cache-breakpoints.ts';
import { classifyError } from './classify-error.ts';
import { type AnthropicClient, rememberClient } from './client.ts';
import { completeTurn } from './complete-turn.ts';
import { ANTHROPIC_FORMAT, viewRawTurn } from './raw-turn.ts';

/** What all ways to an Anthropic model have in common. */
export interface AnthropicModelOptions extends IdleLimits {
  /** How long the API keeps a cached prefix after its last use, or `off`. Default `5m`. */
  readonly cache?: CacheLifetime | 'off';
  /** Sent with every request, in the API's words; the agent's `modelOptions` win. */
  readonly modelOptions?: JsonObject;
  /** How often a turn that the server paused is continued. Default 10. */
  readonly maxContinuations?: number;
  /** Default: from the list that this package ships. */
  readonly price?: Price;
}

export interface AnthropicConnection {
  readonly provider: string;
  readonly options: AnthropicModelOptions;
  readonly connect: () => AnthropicClient | Promise<AnthropicClient>;
  /** Where the credentials are looked for: what a refused or missing key is answered with. */
  readonly credentials: string;
}

const DEFAULT_CONTINUATIONS = 10;

/** The adapter, whatever platform serves the model. */
export function anthropicModel(id: string, connection: AnthropicConnection): Model {
  const { options } = connection;
  const client = rememberClient(connection.connect);
  const cache = options.cache ?? '5m';
  const price = options.price ?? priceOf(id);
  const settings = {
    model: id,
    cache,
    modelOptions: options.modelOptions ?? {},
    maxContinuations: options.maxContinuations ?? DEFAULT_CONTINUATIONS,
    idle: options,
    credentials: connection.credentials,
  };

  const model: Model = {
    id,
    provider: connection.provider,
    format: ANTHROPIC_FORMAT,
    view: viewRawTurn,
    async complete(request, completeOptions) {
      try {
        return await completeTurn(await client.get(), request, { ...completeOptions, settings });
      } catch (error) {
        const failure = classifyError(error, connection.credentials);
        if (failure.type === 'auth') client.forget();
        throw failure;
      }
    },
    async countTokens(request, { signal }) {
      const connected = await client.get();
      if (connected.messages.countTokens === undefined) {
        throw new ModelFailure('not_found', `${connection.provider} does not count tokens`);
      }
      try {
        const {
          max_tokens: _,
          stream: __,
          ...body
        } = buildRequest(request, {
          ...settings,
          now: Date.now(),
          continued: [],
        }).body;
        const counted = await connected.messages.countTokens(body, { signal });
        return counted.input_tokens;
      } catch (error) {
        throw classifyError(error, connection.credentials);
      }
    },
    async check({ signal }) {
      await model.complete(smallestRequest(), { signal, onEvent: () => undefined });
    },
    ...(price === undefined ? {} : { cost: (usage) => costOf(usage, forLifetime(price, cache)) }),
  };
  return model;
}

function forLifetime(price: Price, cache: CacheLifetime | 'off'): Price {
  return cache === '1h' && price.cacheWriteHour !== undefined
    ? { ...price, cacheWrite: price.cacheWriteHour }
    : price;
}
