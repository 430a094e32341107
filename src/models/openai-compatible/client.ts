import OpenAI from 'openai';
import { ModelFailure } from '../model.ts';
import type { Preset } from './presets.ts';

/** Headers only come this late when the server does not answer; the idle timer ends the rest. */
const HEADERS_TIMEOUT_MS = 3_600_000;

/** Sent where a server wants no key: the SDK wants one. */
const NO_KEY = 'none';

export interface ClientOptions {
  readonly model: string;
  /** The server's address, up to what comes before `/chat/completions`. Default: the preset's. */
  readonly baseURL?: string;
  /** Default: none is sent, but with preset `openai` what its SDK finds (`OPENAI_API_KEY`). */
  readonly apiKey?: string | (() => Promise<string>);
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client for one completion: keys are looked for when it starts. Throws a `ModelFailure`. */
export function connect(options: ClientOptions, preset: Preset): OpenAI {
  const baseURL = options.baseURL ?? preset.baseURL;
  const fromEnvironment = preset.key === 'environment' && options.baseURL === undefined;
  if (baseURL === undefined && !fromEnvironment) {
    throw new ModelFailure(
      'invalid_request',
      `the model "${options.model}" needs a baseURL, such as http://127.0.0.1:8000/v1`,
    );
  }
  if (preset.key === 'required' && options.apiKey === undefined) {
    throw new ModelFailure('auth', `no API key for the model "${options.model}": pass apiKey`);
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
