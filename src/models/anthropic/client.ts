import type Anthropic from '@anthropic-ai/sdk';
import { messageOf } from '../../core/describe-error.ts';
import { ModelFailure } from '../model.ts';

/** What this adapter needs of a client; those of the cloud platforms have it too. */
export interface AnthropicClient {
  readonly messages: Pick<Anthropic.Messages, 'create'> &
    Partial<Pick<Anthropic.Messages, 'countTokens'>>;
}

/** Headers only come this late when the service does not answer; the idle timer ends the rest. */
const HEADERS_TIMEOUT_MS = 3_600_000;

export const CLIENT_DEFAULTS = {
  /** The workflow owns every retry. */
  maxRetries: 0,
  timeout: HEADERS_TIMEOUT_MS,
  /** The SDK would print parts of answers; failures carry what is needed. */
  logLevel: 'off',
  openTelemetry: false,
} as const;

/** Makes the client once; after a failure that a new key can mend, once more. */
export function rememberClient(connect: () => AnthropicClient | Promise<AnthropicClient>): {
  get(): Promise<AnthropicClient>;
  forget(): void;
} {
  let client: Promise<AnthropicClient> | undefined;
  return {
    get() {
      client ??= Promise.resolve()
        .then(connect)
        .catch((error: unknown) => {
          client = undefined;
          throw asConfigurationFailure(error);
        });
      return client;
    },
    forget() {
      client = undefined;
    },
  };
}

/** A client that cannot be made (no region, two kinds of credentials, …) will not be made by trying again. */
function asConfigurationFailure(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const words = messageOf(error);
  return new ModelFailure('invalid_request', `the model's client cannot be made: ${words}`, {
    cause: error,
  });
}
