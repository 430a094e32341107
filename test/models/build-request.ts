import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import type { ModelRequest, RequestMessage } from '../../src/core/model-request.ts';
import type { Completion, CompletionEvent, Model } from '../../src/models/model.ts';

/** A request with one user message, and what a test says otherwise. */
export function buildRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    conversationId: 'conversation-1',
    system: 'You answer.',
    tools: [],
    hostedTools: [],
    messages: [userSays('Hello')],
    maxOutputTokens: 1_000,
    options: {},
    ...changes,
  };
}

export function userSays(text: string): RequestMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** The assistant message that a completion becomes in the next request. */
export function assistantSaid({ format, model, raw, blocks }: Completion): RequestMessage {
  return { role: 'assistant', format, model, raw, blocks };
}

export function toolAnswered(callId: string, tool: string, text: string): RequestMessage {
  return {
    role: 'tool',
    results: [{ callId, tool, content: [{ type: 'text', text }], isError: false }],
  };
}

export interface Completed {
  readonly completion: Completion;
  readonly events: readonly CompletionEvent[];
  /** What watchers read. */
  readonly text: string;
}

/** Runs one completion and keeps its events. */
export async function complete(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Completed> {
  const events: CompletionEvent[] = [];
  const completion = await model.complete(request, {
    signal,
    onEvent: (event) => events.push(event),
  });
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  return { completion, events, text };
}

/** The objects of a list in a sent body: its messages, a message's blocks. */
export function listIn(value: Json | undefined, name: string): readonly JsonObject[] {
  const list = isJsonObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
