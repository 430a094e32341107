import type { JsonObject } from '../../core/json.ts';
import type { IdleLimits } from '../idle-timer.ts';
import type { Model } from '../model.ts';
import { costOf, type Price, priceOf } from '../prices.ts';
import { smallestRequest } from '../smallest-request.ts';
import { classifyError } from './classify-error.ts';
import { completeTurn, type CompleteTurnSettings } from './complete-turn.ts';
import { type ClientOptions, connect } from './client.ts';
import { NO_PRESET, type Preset, type PresetName, PRESETS } from './presets.ts';
import { DEFAULT_QUIRKS, type Quirks } from './quirks.ts';
import { OPENAI_FORMAT, viewRawTurn } from './raw-turn.ts';

export interface OpenAICompatibleOptions extends ClientOptions, IdleLimits {
  /** What is known of a kind of server. */
  readonly preset?: PresetName;
  /** In what this server differs; wins over the preset. */
  readonly quirks?: Partial<Quirks>;
  /** Sent with every request, in the server's words; the agent's `modelOptions` win. */
  readonly modelOptions?: JsonObject;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Default: none, so no cost. */
  readonly price?: Price;
  /** Part of traces and messages. Default: the preset, else `openai-compatible`. */
  readonly provider?: string;
  readonly capabilities?: Model['capabilities'];
}

/** A model behind any server that speaks OpenAI's Chat Completions. */
export function openaiCompatible(options: OpenAICompatibleOptions): Model {
  const preset: Preset = options.preset === undefined ? NO_PRESET : PRESETS[options.preset];
  const settings: CompleteTurnSettings = {
    model: options.model,
    quirks: { ...DEFAULT_QUIRKS, ...preset.quirks, ...options.quirks },
    learned: new Set(),
    modelOptions: options.modelOptions ?? {},
    idle: { ...preset, ...options },
    fetch: options.fetch ?? fetch,
  };
  const price = options.price ?? priceOf(options.model);
  const model: Model = {
    id: options.model,
    provider: options.provider ?? options.preset ?? 'openai-compatible',
    format: OPENAI_FORMAT,
    view: viewRawTurn,
    ...(options.capabilities === undefined ? {} : { capabilities: options.capabilities }),
    ...(price === undefined ? {} : { cost: (usage) => costOf(usage, price) }),
    async complete(request, completeOptions) {
      try {
        const client = connect(options, preset);
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

/** A model of OpenAI. */
export function openai(
  id: string,
  options: Omit<OpenAICompatibleOptions, 'model' | 'preset'> = {},
): Model {
  return openaiCompatible({ ...options, model: id, preset: 'openai' });
}
