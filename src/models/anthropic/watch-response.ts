import { APIError } from '@anthropic-ai/sdk';
import type { Middleware } from '@anthropic-ai/sdk/core/middleware';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { IdleTimer } from '../idle-timer.ts';
import { ModelFailure } from '../model.ts';

const SHOWN_CHARACTERS = 200;

/**
 * Sees the bytes of a response before the SDK does: each one shows that the stream lives (the SDK
 * swallows keep-alives), and a success that is no event stream is a failure, not an answer.
 */
export function watchResponse(timer: IdleTimer, onBytes: () => void): Middleware {
  return async (request, next) => {
    const response = await next(request);
    timer.bytes();
    if (!response.ok || response.body === null) return response;
    const contentType = response.headers.get('content-type') ?? '';
    if (contentType !== '' && !contentType.includes('text/event-stream')) {
      throw await unexpectedBody(response, contentType);
    }
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          timer.bytes();
          onBytes();
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(watched, response);
  };
}

async function unexpectedBody(response: Response, contentType: string): Promise<Error> {
  const text = await response.text();
  const body = jsonIn(text);
  if (isJsonObject(body) && isJsonObject(body['error'])) {
    const type = body['error']['type'];
    return new APIError(
      undefined,
      body,
      undefined,
      response.headers,
      (typeof type === 'string' ? type : null) as APIError['type'],
    );
  }
  return new ModelFailure(
    'bad_response',
    `expected an event stream (text/event-stream), got ${contentType}: ${text.slice(0, SHOWN_CHARACTERS)}`,
  );
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
