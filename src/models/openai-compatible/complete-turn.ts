import type OpenAI from 'openai';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { startIdleTimer } from '../idle-timer.ts';
import { type CompleteOptions, type Completion, ModelFailure } from '../model.ts';
import { readEvents, requireWhole, streamFailure } from '../stream-failure.ts';
import { buildRequest, type RequestSettings } from './build-request.ts';
import { classifyError } from './classify-error.ts';
import { OPENAI_FORMAT, viewRawTurn } from './raw-turn.ts';
import { applyChunk, type StreamedTurn, startTurn } from './read-stream.ts';
import { send, type SendSettings } from './send.ts';
import { settleTurn, stopReasonOf } from './settle-turn.ts';
import { usageOf } from './usage.ts';

export type CompleteTurnSettings = RequestSettings & SendSettings;

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
    const { data: stream, response } = await send(client, {
      timer,
      onBytes: () => options.onEvent({ type: 'alive' }),
      settings,
      build: () => buildRequest(request, settings),
      create: (connected, body) =>
        connected.chat.completions.create(body, { signal: timer.signal }).withResponse(),
    });
    requestId = response.headers.get('x-request-id') ?? undefined;
    await readEvents<JsonObject>(stream, {
      timer,
      apply: (chunk) => applyChunk(turn, chunk, options.onEvent),
      // Only usage comes after the reason: without it there is still a whole turn.
      isWhole: () => turn.finishReason !== undefined && turn.finishReason !== 'error',
    });
    requireWhole(turn.finishReason !== undefined, { timer, signal, missing: 'a finish reason' });
    return completionOf(turn, request, { model: settings.model, requestId: requestId ?? turn.id });
  } catch (error) {
    const usage = turn.usage === undefined ? undefined : usageOf(turn.usage);
    throw streamFailure(classifyError(error), { timer, signal, requestId, usage });
  } finally {
    timer.stop();
  }
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
