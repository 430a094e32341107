import type OpenAI from 'openai';
import { APIError } from 'openai';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import type { Usage } from '../../core/usage.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { type IdleLimits, type IdleTimer, startIdleTimer } from '../idle-timer.ts';
import { type CompleteOptions, type Completion, ModelFailure } from '../model.ts';
import { watchResponse } from '../watch-response.ts';
import { buildRequest, type RequestSettings } from './build-request.ts';
import { classifyError } from './classify-error.ts';
import { learnFrom } from './learned.ts';
import { OPENAI_FORMAT, viewRawTurn } from './raw-turn.ts';
import { applyChunk, type StreamedTurn, startTurn } from './read-stream.ts';
import { settleTurn, stopReasonOf } from './settle-turn.ts';
import { usageOf } from './usage.ts';

export type CompleteTurnSettings = RequestSettings & {
  readonly idle: IdleLimits;
  /** For answers from inside a `fetch` of one's own. */
  readonly fetch: typeof fetch;
};

type TurnOptions = CompleteOptions & { readonly settings: CompleteTurnSettings };

/** One turn from one streamed response. */
export async function completeTurn(
  client: OpenAI,
  request: ModelRequest,
  options: TurnOptions,
): Promise<Completion> {
  const { settings, signal } = options;
  const timer = startIdleTimer(signal, settings.idle);
  const turn = startTurn();
  let requestId: string | undefined;
  try {
    const { data: stream, response } = await send(client, request, { ...options, timer });
    requestId = response.headers.get('x-request-id') ?? undefined;
    await readTurn(stream, turn, { timer, onEvent: options.onEvent });
    requireEnd(turn, timer, signal);
    return completionOf(turn, request, { model: settings.model, requestId: requestId ?? turn.id });
  } catch (error) {
    throw describe(error, { timer, signal, requestId, turn });
  } finally {
    timer.stop();
  }
}

/** Sends the request; once more for each parameter that the server turns out not to take. */
async function send(
  client: OpenAI,
  request: ModelRequest,
  options: TurnOptions & { readonly timer: IdleTimer },
): Promise<{ readonly data: AsyncIterable<unknown>; readonly response: Response }> {
  const { settings, timer, onEvent } = options;
  const watch = { timer, onBytes: () => onEvent({ type: 'alive' }), errorOf };
  const watched = client.withOptions({
    fetch: async (input, init) => watchResponse(await settings.fetch(input, init), watch),
  });
  for (;;) {
    const body = buildRequest(request, settings);
    try {
      return await watched.chat.completions.create(body, { signal: timer.signal }).withResponse();
    } catch (error) {
      if (!learnFrom(error, body as unknown as JsonObject, settings.learned)) throw error;
    }
  }
}

function errorOf(body: JsonObject, headers: Headers): APIError {
  return new APIError(undefined, body['error'] as object, undefined, headers);
}

async function readTurn(
  stream: AsyncIterable<unknown>,
  turn: StreamedTurn,
  { timer, onEvent }: { readonly timer: IdleTimer } & Pick<CompleteOptions, 'onEvent'>,
): Promise<void> {
  try {
    for await (const chunk of stream) {
      timer.progress();
      applyChunk(turn, chunk as JsonObject, onEvent);
      if (turn.finishReason !== undefined) timer.drain();
    }
  } catch (error) {
    // After the reason only usage comes: without it there is still a whole turn.
    if (turn.finishReason === undefined || error instanceof APIError) throw error;
  }
}

/** After an abort, and at a cut, the SDK's stream ends as if all were well. */
function requireEnd(turn: StreamedTurn, timer: IdleTimer, signal: AbortSignal): void {
  if (turn.finishReason !== undefined) return;
  if (timer.stalled !== undefined || signal.aborted) throw new Error('the stream was aborted');
  throw new ModelFailure('connection', 'the stream was cut: it ended without a finish reason');
}

function describe(
  error: unknown,
  context: {
    readonly timer: IdleTimer;
    readonly signal: AbortSignal;
    readonly requestId: string | undefined;
    readonly turn: StreamedTurn;
  },
): ModelFailure {
  const { timer, signal, turn } = context;
  const found = classifyError(error);
  const usage: Usage | undefined = turn.usage === undefined ? undefined : usageOf(turn.usage);
  const details = { usage, requestId: found.requestId ?? context.requestId, cause: error };
  if (signal.aborted) return new ModelFailure('cancelled', 'the completion was cancelled', details);
  if (timer.stalled !== undefined) {
    return new ModelFailure('stalled', `the stream stalled: ${timer.stalled}`, details);
  }
  return new ModelFailure(found.type, found.message, {
    ...details,
    retryAfterMs: found.retryAfterMs,
  });
}

function completionOf(
  turn: StreamedTurn,
  request: ModelRequest,
  { model, requestId }: { readonly model: string; readonly requestId: string | undefined },
): Completion {
  const settled = settleTurn(model, turn, request);
  const raw = settled as unknown as Json;
  const blocks = viewRawTurn(raw);
  const stopReason = stopReasonOf(turn, settled, request.maxOutputTokens);
  if (stopReason === 'end' && blocks.length === 0) {
    throw new ModelFailure('bad_response', 'the answer was empty');
  }
  return {
    raw,
    format: OPENAI_FORMAT,
    blocks,
    stopReason,
    ...(turn.finishReason === undefined ? {} : { providerStopReason: turn.finishReason }),
    usage: turn.usage === undefined ? estimateUsage(request, blocks) : usageOf(turn.usage),
    ...(requestId === undefined ? {} : { requestId }),
    model: turn.model ?? model,
  };
}
