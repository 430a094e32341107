import type OpenAI from 'openai';
import { APIError } from 'openai';
import type { JsonObject } from '../../core/json.ts';
import type { IdleLimits, IdleTimer } from '../idle-timer.ts';
import { watchResponse } from '../watch-response.ts';
import { type Learned, learnFrom } from './learned.ts';

export interface SendSettings {
  readonly idle: IdleLimits;
  readonly fetch: typeof fetch;
  readonly learned: Learned;
}

export interface Sent {
  readonly data: AsyncIterable<unknown>;
  readonly response: Response;
}

/** Sends a request; once more for each parameter that the server turns out not to take. */
export async function send<Body extends object>(
  client: OpenAI,
  sending: {
    readonly timer: IdleTimer;
    readonly onBytes: () => void;
    readonly settings: SendSettings;
    readonly build: () => Body;
    readonly create: (client: OpenAI, body: Body) => Promise<Sent>;
  },
): Promise<Sent> {
  const { timer, onBytes, settings } = sending;
  const watched = client.withOptions({
    fetch: async (input, init) =>
      watchResponse(await settings.fetch(input, init), { timer, onBytes, errorOf }),
  });
  for (;;) {
    const body = sending.build();
    try {
      return await sending.create(watched, body);
    } catch (error) {
      if (!learnFrom(error, body as unknown as JsonObject, settings.learned)) throw error;
    }
  }
}

/** The SDK's error for an error document that came with a 200. */
function errorOf(body: JsonObject, headers: Headers): APIError {
  return new APIError(undefined, body['error'] as object, undefined, headers);
}
