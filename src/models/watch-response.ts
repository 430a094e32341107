import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { IdleTimer } from './idle-timer.ts';
import { ModelFailure } from './model.ts';

const SHOWN_CHARACTERS = 200;

export interface ResponseWatch {
  readonly timer: IdleTimer;
  readonly onBytes: () => void;
  /** The provider's error for a body that has an `error`, for the one classifier to judge. */
  readonly errorOf: (body: JsonObject, headers: Headers) => Error;
}

/**
 * Sees the bytes of a response before the SDK does: each one shows that the stream lives (the SDKs
 * swallow keep-alives), and a success that is no event stream is a failure, not an answer.
 */
export async function watchResponse(
  response: Response,
  { timer, onBytes, errorOf }: ResponseWatch,
): Promise<Response> {
  timer.bytes();
  if (!response.ok || response.body === null) return response;
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType !== '' && !contentType.includes('text/event-stream')) {
    const text = await response.text();
    const body = jsonIn(text);
    if (isJsonObject(body) && body['error'] !== undefined) throw errorOf(body, response.headers);
    throw new ModelFailure(
      'bad_response',
      `expected an event stream (text/event-stream), got ${contentType}: ${text.slice(0, SHOWN_CHARACTERS)}`,
    );
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
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
