import OpenAI from 'openai';
import type { JsonObject } from '../../core/json.ts';
import type { IdleLimits } from '../idle-timer.ts';
import { type Model, ModelFailure } from '../model.ts';
import { costOf, type Price, priceOf } from '../prices.ts';
import { smallestRequest } from '../smallest-request.ts';
import { classifyError } from './classify-error.ts';
import { completeTurn, type CompleteTurnSettings } from './complete-turn.ts';
import { type Preset, type PresetName, PRESETS } from './presets.ts';
import { DEFAULT_QUIRKS, type Quirks } from './quirks.ts';
import { OPENAI_FORMAT, viewRawTurn } from './raw-turn.ts';

export interface OpenAICompatibleOptions extends IdleLimits {
  readonly model: string;
  /** The server's address, up to what comes before `/chat/completions`. Default: the preset's. */
  readonly baseURL?: string;
  /** Default: none is sent, but with preset `openai` what its SDK finds (`OPENAI_API_KEY`). */
  readonly apiKey?: string | (() => Promise<string>);
  /** What is known of a kind of server. */
  readonly preset?: PresetName;
  /** In what this server differs; wins over the preset. */
  readonly quirks?: Partial<Quirks>;
  /** Sent with every request, in the server's words; the agent's `modelOptions` win. */
  readonly modelOptions?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
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

const NO_PRESET: Preset = { key: 'none', quirks: {} };

/** Sent where a server wants no key: the SDK wants one. */
const NO_KEY = 'none';

function connect(options: OpenAICompatibleOptions, preset: Preset): OpenAI {
  const baseURL = options.baseURL ?? preset.baseURL;
  const fromEnvironment = preset.key === 'environment' && options.baseURL === undefined;
  if (baseURL === undefined && !fromEnvironment) {
    throw new ModelFailure(
      'invalid_request',
      `openaiCompatible({ model: "${options.model}" }) needs a baseURL, such as http://127.0.0.1:8000/v1`,
    );
  }
  if (preset.key === 'required' && options.apiKey === undefined) {
    throw new ModelFailure(
      'auth',
      `no API key: pass apiKey to openaiCompatible({ preset: "${options.preset}" })`,
    );
  }
  // OpenAI's own key never goes to another server.
  const apiKey = options.apiKey ?? (fromEnvironment ? undefined : NO_KEY);
  return new OpenAI({
    maxRetries: 0,
    timeout: HEADERS_TIMEOUT_MS,
    logLevel: 'off',
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
  });
}

/** Headers only come this late when the server does not answer; the idle timer ends the rest. */
const HEADERS_TIMEOUT_MS = 3_600_000;
