import type { Json, JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { addUsage, NO_USAGE, totalTokens, type Usage } from '../../core/usage.ts';
import { type IdleLimits, startIdleTimer } from '../idle-timer.ts';
import { type CompleteOptions, type Completion, ModelFailure } from '../model.ts';
import { readEvents, requireWhole, streamFailure } from '../stream-failure.ts';
import { watchResponse } from '../watch-response.ts';
import { buildRequest } from './build-request.ts';
import type { CacheLifetime } from './cache-breakpoints.ts';
import { classifyError } from './classify-error.ts';
import type { AnthropicClient } from './client.ts';
import { errorOfBody } from './error-body.ts';
import { ANTHROPIC_FORMAT, viewRawTurn } from './raw-turn.ts';
import { applyEvent, type StreamedTurn, startTurn } from './read-stream.ts';
import { isPaused, providerWord, settleTurn, stopReasonOf } from './settle-turn.ts';
import { usageOf } from './usage.ts';

export interface CompleteTurnSettings {
  readonly model: string;
  readonly cache: CacheLifetime | 'off';
  readonly modelOptions: JsonObject;
  readonly maxContinuations: number;
  readonly idle: IdleLimits;
  readonly credentials: string;
}

type TurnOptions = CompleteOptions & { readonly settings: CompleteTurnSettings };

/** One turn: a streamed response, and its continuations while the server pauses it. */
export async function completeTurn(
  client: AnthropicClient,
  request: ModelRequest,
  options: TurnOptions,
): Promise<Completion> {
  const { model, maxContinuations } = options.settings;
  const parts: StreamedTurn[] = [];
  let requestId: string | undefined;
  for (;;) {
    const continued: readonly JsonObject[] = settleTurn(model, parts).content;
    const streamed = await streamPart(client, {
      request,
      continued,
      options,
      spent: usageOfParts(parts),
    });
    parts.push(streamed.part);
    requestId = streamed.requestId ?? requestId;
    if (!isPaused(streamed.part) || parts.length > maxContinuations) break;
  }
  return completionOf(model, parts, requestId);
}

interface PartOptions {
  readonly request: ModelRequest;
  readonly continued: readonly JsonObject[];
  readonly options: TurnOptions;
  /** What the earlier parts used: lost with a failure, but paid. */
  readonly spent: Usage;
}

async function streamPart(
  client: AnthropicClient,
  { request, continued, options, spent }: PartOptions,
): Promise<{ readonly part: StreamedTurn; readonly requestId: string | undefined }> {
  const { settings, signal, onEvent } = options;
  const timer = startIdleTimer(signal, settings.idle);
  const part = startTurn();
  const watch = { timer, onBytes: () => onEvent({ type: 'alive' }), errorOf: errorOfBody };
  let requestId: string | undefined;
  try {
    const { body, headers } = buildRequest(request, { ...settings, now: Date.now(), continued });
    const { data: stream, response } = await client.messages
      .create(body, {
        signal: timer.signal,
        headers,
        middleware: [async (sent, next) => watchResponse(await next(sent), watch)],
      })
      .withResponse();
    requestId = requestIdOf(response.headers);
    await readEvents<JsonObject>(stream, {
      timer,
      apply: (event) => applyEvent(part, event, onEvent),
      isWhole: () => part.ended,
    });
    requireWhole(part.ended, { timer, signal, missing: 'message_stop' });
    if (part.stopReason === undefined) {
      throw new ModelFailure('bad_response', 'the answer ended without a stop reason');
    }
    return { part, requestId };
  } catch (error) {
    const usage = usageSoFar(spent, part);
    const found = classifyError(error, settings.credentials);
    throw streamFailure(found, { timer, signal, requestId, usage });
  } finally {
    timer.stop();
  }
}

function requestIdOf(headers: Headers): string | undefined {
  return headers.get('request-id') ?? headers.get('x-amzn-requestid') ?? undefined;
}

function completionOf(
  model: string,
  parts: readonly StreamedTurn[],
  requestId: string | undefined,
): Completion {
  const last = parts.at(-1) ?? startTurn();
  const stopReason = stopReasonOf(last.stopReason ?? '', settleTurn(model, parts).content);
  // What a refused turn holds is not an answer, and may not be built on.
  const turn = settleTurn(model, stopReason === 'refused' ? [] : parts);
  if (stopReason === 'end' && turn.content.length === 0) {
    throw new ModelFailure('bad_response', 'the answer was empty', {
      usage: usageOfParts(parts),
      requestId,
    });
  }
  const raw = turn as unknown as Json;
  return {
    raw,
    format: ANTHROPIC_FORMAT,
    blocks: viewRawTurn(raw),
    stopReason,
    providerStopReason: providerWord(last),
    usage: usageOfParts(parts),
    ...(requestId === undefined ? {} : { requestId }),
    model: last.model ?? model,
  };
}

/** Undefined when the service had not said anything yet: then nobody knows what was used. */
function usageSoFar(spent: Usage, part: StreamedTurn): Usage | undefined {
  const usage = addUsage(spent, usageOf(part.usage));
  return totalTokens(usage) === 0 ? undefined : usage;
}

function usageOfParts(parts: readonly StreamedTurn[]): Usage {
  return parts.map((part) => usageOf(part.usage)).reduce(addUsage, NO_USAGE);
}
