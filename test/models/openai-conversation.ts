import type { JsonObject } from '../../src/core/json.ts';
import type { Block, ModelRequest } from '../../src/core/model-request.ts';
import {
  inOrder,
  type ModelServer,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { chunk } from '../../src/models/contract/openai-wire.ts';
import { EVENT_STREAM, sse } from '../../src/models/contract/wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import {
  assistantSaid,
  buildRequest,
  complete,
  type Completed,
  toolAnswered,
  userSays,
} from './build-request.ts';

export interface Ran {
  readonly completed: readonly Completed[];
  readonly bodies: readonly JsonObject[];
}

/** A stream of these deltas, ended by the finish reason. */
export function deltas(
  list: readonly JsonObject[],
  finish = 'tool_calls',
  usage?: JsonObject,
): WireReply {
  return {
    headers: EVENT_STREAM,
    chunks: [
      ...list.map((delta) => chunk({}, { delta })),
      chunk({}, { delta: {}, finish_reason: finish }, usage === undefined ? {} : { usage }),
      sse('[DONE]'),
    ],
  };
}

/** One piece of a streamed call. */
export function piece(fields: JsonObject, called: JsonObject): JsonObject {
  return { tool_calls: [{ ...fields, function: called }] };
}

export async function run(
  replies: WireReply | readonly WireReply[],
  request: Partial<ModelRequest> = {},
): Promise<Ran> {
  return withServer([replies].flat(), async (server) => {
    const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1` });
    return [await complete(model, buildRequest(request))];
  });
}

/** The calls of the one turn that these deltas make. */
export async function callsFrom(...list: readonly JsonObject[]): Promise<readonly Block[]> {
  const { completed } = await run(deltas(list));
  return completed[0]?.completion.blocks.filter((block) => block.type === 'tool_call') ?? [];
}

/** Plays the replies as one conversation: each call is answered before the next request. */
export async function runConversation(replies: readonly WireReply[]): Promise<Ran> {
  return withServer(replies, async (server) => {
    const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1` });
    const completed: Completed[] = [];
    const messages = [userSays('Hello')];
    for (const _ of replies) {
      const turn = await complete(model, buildRequest({ messages: [...messages] }));
      completed.push(turn);
      messages.push(assistantSaid(turn.completion));
      for (const block of turn.completion.blocks) {
        if (block.type === 'tool_call') messages.push(toolAnswered(block.id, block.name, 'seen'));
      }
    }
    return completed;
  });
}

export async function withServer(
  replies: readonly WireReply[],
  body: (server: ModelServer) => Promise<readonly Completed[]>,
): Promise<Ran> {
  const server = await startModelServer(inOrder(...replies));
  try {
    const completed = await body(server);
    return { completed, bodies: server.requests.map((request) => request.body as JsonObject) };
  } finally {
    await server.close();
  }
}
