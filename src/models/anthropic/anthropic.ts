import Anthropic from '@anthropic-ai/sdk';
import type { Model } from '../model.ts';
import { anthropicModel, type AnthropicModelOptions } from './anthropic-model.ts';
import { CLIENT_DEFAULTS } from './client.ts';

export interface AnthropicOptions extends AnthropicModelOptions {
  /** Default: what the SDK finds, `ANTHROPIC_API_KEY` first. A function is asked at every request. */
  readonly apiKey?: string | (() => Promise<string>);
  /** Default: `ANTHROPIC_BASE_URL`, else the API's own. */
  readonly baseURL?: string;
  /** Sent with every request; replace the SDK's of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

/** A model of the Anthropic API. The key is looked for when a completion starts, not before. */
export function anthropic(id: string, options: AnthropicOptions = {}): Model {
  const { apiKey, baseURL, headers, fetch } = options;
  return anthropicModel(id, {
    provider: 'anthropic',
    options,
    credentials: 'set ANTHROPIC_API_KEY, or pass apiKey to anthropic(id, { apiKey })',
    connect: () =>
      new Anthropic({
        ...CLIENT_DEFAULTS,
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(baseURL === undefined ? {} : { baseURL }),
        ...(headers === undefined ? {} : { defaultHeaders: headers }),
        ...(fetch === undefined ? {} : { fetch }),
      }),
  });
}
