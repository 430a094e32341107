import type { ModelRequest } from '../../core/model-request.ts';
import type { IdleLimits } from '../idle-timer.ts';
import { type Completion, type CompletionEvent, ModelFailure } from '../model.ts';
import type { ModelContract } from './model-contract.ts';
import { inOrder, type RecordedRequest, startModelServer, type WireReply } from './model-server.ts';

/** So long that a busy machine does not meet them. */
const PATIENT: IdleLimits = { idleTimeoutMs: 10_000, keepAliveTimeoutMs: 20_000 };

/** For tests of silence, which last as long. */
export const SHORT: IdleLimits = { idleTimeoutMs: 300, keepAliveTimeoutMs: 600 };

export interface Played {
  readonly completion?: Completion;
  readonly failure?: ModelFailure;
  readonly events: readonly CompletionEvent[];
  readonly text: string;
  readonly requests: readonly RecordedRequest[];
}

/** One completion against a server that plays the replies. Anything but a `ModelFailure` escapes. */
export async function play(
  contract: ModelContract,
  reply: WireReply | readonly WireReply[],
  options: {
    readonly request?: Partial<ModelRequest>;
    /** Aborts at the first event of this type, or before the request. */
    readonly abortAt?: CompletionEvent['type'] | 'start';
    readonly limits?: IdleLimits;
  } = {},
): Promise<Played> {
  const server = await startModelServer(inOrder(...(Array.isArray(reply) ? reply : [reply])));
  const controller = new AbortController();
  const events: CompletionEvent[] = [];
  if (options.abortAt === 'start') controller.abort();
  try {
    const model = contract.create({ url: server.url }, options.limits ?? PATIENT);
    const outcome = await model
      .complete(requestOf(options.request), {
        signal: controller.signal,
        onEvent(event) {
          events.push(event);
          if (event.type === options.abortAt) controller.abort();
        },
      })
      .then((completion) => ({ completion }))
      .catch((error: unknown) => {
        if (error instanceof ModelFailure) return { failure: error };
        throw error;
      });
    const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
    return { ...outcome, events, text, requests: server.requests };
  } finally {
    await server.close();
  }
}

/** A request that has one of everything. */
export function requestOf(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    conversationId: 'contract-conversation',
    system: 'You are the contract’s assistant.',
    tools: [
      {
        name: 'find_order',
        description: 'Finds an order.',
        inputSchema: {
          type: 'object',
          properties: { id: { type: 'integer' }, note: { type: 'string' } },
          required: ['id'],
        },
      },
    ],
    hostedTools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is my order?' }] }],
    maxOutputTokens: 500,
    options: {},
    ...changes,
  };
}
