import type { Context } from '@temporalio/activity';
import { encodeCompletionToken } from '../core/completion-token.ts';
import type { CallInput } from '../core/activity-shapes.ts';
import type { Json } from '../core/json.ts';
import type { Operation } from '../core/state-patch.ts';
import type { Spec, ToolSpec } from '../core/spec.ts';
import type { EventSink } from '../streams/event-sink.ts';
import type { ToolContext, ToolLog } from '../tools/tool.ts';

/** A progress patch that is larger is not published: it is for eyes, and a stream is not a store. */
const MAX_PROGRESS_BYTES = 64 * 1024;

export interface ToolContextHandle {
  readonly toolContext: ToolContext<never>;
  /** Whether the tool's code has taken the token with which its call can be completed later. */
  tokenWasTaken(): boolean;
  /** From here on `emit` does nothing. */
  end(): void;
}

/** What a tool's code gets beside its input. State and context are copies: to change them changes nothing. */
export function createToolContext(parts: {
  readonly temporal: Context;
  readonly input: CallInput;
  readonly spec: Spec;
  readonly tool: ToolSpec;
  readonly conversationId: string;
  readonly deps: unknown;
  readonly events: EventSink;
  readonly signal: AbortSignal;
}): ToolContextHandle {
  const { temporal, input, spec, tool, conversationId, events } = parts;
  let ended = false;
  let tokenTaken = false;
  const log = toolLog(temporal, input.key);

  const emit = (activityType: string, patch: readonly Operation[]): void => {
    if (ended) return;
    const json = progressJson(patch);
    if (json === undefined) {
      log.warn('progress was dropped: expected a JSON Patch of at most 64 KiB', { activityType });
      return;
    }
    const event = { type: 'progress', key: input.key, activityType, patch: json } as const;
    events.publish(conversationId, [event]);
  };

  const toolContext = {
    // Only the tool's author knows which it wants; that they are there was checked with the worker.
    deps: parts.deps as never,
    context: structuredClone(spec.context),
    conversationId,
    callId: input.callId,
    idempotencyKey: `${input.key}${input.keyRenewal ?? ''}`,
    attempt: input.attempt + temporal.info.attempt - 1,
    signal: parts.signal,
    log,
    state: tool.usesState ? structuredClone(input.state ?? null) : null,
    emit,
  };
  return {
    toolContext:
      tool.completion === 'later'
        ? Object.defineProperty(toolContext, 'completionToken', {
            enumerable: true,
            get() {
              tokenTaken = true;
              return completionToken(parts);
            },
          })
        : toolContext,
    tokenWasTaken: () => tokenTaken,
    end() {
      ended = true;
    },
  };
}

function completionToken(parts: {
  readonly temporal: Context;
  readonly input: CallInput;
  readonly tool: ToolSpec;
  readonly conversationId: string;
}): string {
  const { temporal, input, tool, conversationId } = parts;
  return encodeCompletionToken({
    taskToken: temporal.info.base64TaskToken,
    conversationId,
    key: input.key,
    callId: input.callId,
    tool: tool.name,
    effect: tool.effect,
    maxResultChars: tool.maxResultChars,
    edited: input.edited !== undefined,
    ...(input.earlier === undefined ? {} : { earlier: input.earlier }),
  });
}

function toolLog(temporal: Context, key: string): ToolLog {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      temporal.log[level](message, { ...fields, key });
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

function progressJson(patch: readonly Operation[]): Json | undefined {
  try {
    const text = JSON.stringify(patch);
    if (!Array.isArray(patch) || text.length > MAX_PROGRESS_BYTES) return undefined;
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
