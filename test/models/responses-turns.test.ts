import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { RequestMessage } from '../../src/core/model-request.ts';
import {
  inOrder,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import { responsesWire } from '../../src/models/contract/responses-wire.ts';
import { EVENT_STREAM, jsonReply, sse } from '../../src/models/contract/wire.ts';
import { openaiResponses } from '../../src/models/openai-responses/openai-responses.ts';
import {
  assistantSaid,
  buildRequest,
  complete,
  listIn,
  toolAnswered,
  userSays,
} from './build-request.ts';

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const done = responsesWire.answer({ text: 'Done.' });

/** A response that is whole in its last event. */
function responding(output: readonly JsonObject[], more: JsonObject = {}): WireReply {
  const response = { status: 'completed', model: 'wire-1', output, ...more };
  return { headers: EVENT_STREAM, chunks: [sse({ type: 'response.completed', response })] };
}

async function withServer<Result>(
  replies: readonly WireReply[],
  body: (url: string, bodies: () => JsonObject[]) => Promise<Result>,
): Promise<Result> {
  const server = await startModelServer(inOrder(...replies));
  try {
    return await body(server.url, () =>
      server.requests.map(({ body: sent }) => sent as JsonObject),
    );
  } finally {
    await server.close();
  }
}

/** Plays one turn of these items, answers its call, and returns what is sent next. */
async function secondInput(
  output: readonly JsonObject[],
  secondModel = 'wire-1',
): Promise<JsonObject[]> {
  return withServer([responding(output), done], async (baseURL, bodies) => {
    const first = openaiResponses('wire-1', { apiKey: 'k', baseURL });
    const { completion } = await complete(first, buildRequest({ tools: [LOOK] }));
    const recorded = JSON.parse(JSON.stringify(completion)) as typeof completion;
    const call = completion.blocks.find((block) => block.type === 'tool_call');
    const messages: RequestMessage[] = [userSays('Hello'), assistantSaid(recorded)];
    if (call?.type === 'tool_call') messages.push(toolAnswered(call.id, 'look', 'seen'));
    const second = openaiResponses(secondModel, { apiKey: 'k', baseURL });
    await complete(second, buildRequest({ tools: [LOOK], messages }));
    return [...listIn(bodies()[1], 'input')];
  });
}

const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5j+/=' };
const SEARCH = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { q: 'x' } };
const CALL = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'look',
  arguments: '{"n":1}',
};
const RESULT = { type: 'function_call_output', call_id: 'call_1', output: 'seen' };

describe('turns of the Responses API', () => {
  test('reasoning, calls of hosted tools and unknown items go back as they came', async () => {
    const output = [REASONING, SEARCH, { type: 'an_item_of_tomorrow', deep: [1, null] }, CALL];
    const [, ...items] = await secondInput(output);
    expect(items).toEqual([...output, RESULT]);
  });

  test('reasoning that came without its encrypted form is left out, and what refers to it', async () => {
    const { encrypted_content: _, ...lost } = REASONING;
    const { id: __, ...plainCall } = CALL;
    const [, ...items] = await secondInput([lost, CALL]);
    expect(items).toEqual([plainCall, RESULT]);
  });

  test('another model gets the turn without what is bound to the first', async () => {
    const [, ...items] = await secondInput([REASONING, CALL], 'wire-2');
    const { id: _, ...plainCall } = CALL;
    expect(items).toEqual([plainCall, RESULT]);
  });

  test('arguments that could not be read go back as an empty object', async () => {
    const [, call] = await secondInput([{ ...CALL, arguments: '{"n":' }]);
    expect(call).toMatchObject({ call_id: 'call_1', arguments: '{}' });
  });

  test('ids that do not tell calls apart are replaced, in call and result', async () => {
    const [, ...items] = await secondInput([{ ...CALL, call_id: '' }]);
    expect(items.map((item) => item['call_id'])).toEqual(['call_1_0', 'call_1_0']);
  });

  test('a refusal is one, with its words', async () => {
    const content = [{ type: 'refusal', refusal: 'I can’t do that.' }];
    await withServer([responding([{ type: 'message', content }])], async (baseURL) => {
      const model = openaiResponses('wire-1', { apiKey: 'k', baseURL });
      const { completion } = await complete(model, buildRequest());
      expect(completion).toMatchObject({
        stopReason: 'refused',
        blocks: [{ type: 'text', text: 'I can’t do that.' }],
      });
    });
  });

  test('an error event is classified', async () => {
    const error = { type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null };
    await withServer([{ headers: EVENT_STREAM, chunks: [sse(error)] }], async (baseURL) => {
      const model = openaiResponses('wire-1', { apiKey: 'k', baseURL });
      await expect(complete(model, buildRequest())).rejects.toMatchObject({ type: 'rate_limited' });
    });
  });
});

describe('requests to the Responses API', () => {
  test('store nothing, ask for encrypted reasoning, and have all in the API’s words', async () => {
    await withServer([done], async (baseURL, bodies) => {
      const model = openaiResponses('wire-1', { apiKey: 'k', baseURL });
      await complete(
        model,
        buildRequest({
          tools: [LOOK],
          hostedTools: [{ type: 'web_search' }],
          toolChoice: 'none',
          output: { type: 'object' },
          options: { reasoning: { effort: 'low' }, text: { verbosity: 'low' } },
        }),
      );
      expect(bodies()[0]).toMatchObject({
        instructions: 'You answer.',
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low' },
        text: { verbosity: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
        tools: [{ type: 'function', name: 'look', strict: false }, { type: 'web_search' }],
        tool_choice: 'none',
        max_output_tokens: 1_000,
      });
    });
  });

  test('images may be in results', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const results = [{ callId: 'a', tool: 'look', isError: false, content: [image] }];
    const called: RequestMessage = {
      role: 'assistant',
      format: 'other',
      model: 'x',
      raw: null,
      blocks: [{ type: 'tool_call', id: 'a', name: 'look', input: {} }],
    };
    await withServer([done], async (baseURL, bodies) => {
      const model = openaiResponses('wire-1', { apiKey: 'k', baseURL });
      const messages: RequestMessage[] = [userSays('Look'), called, { role: 'tool', results }];
      await complete(model, buildRequest({ messages }));
      expect(listIn(bodies()[0], 'input').at(-1)).toMatchObject({
        call_id: 'a',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }],
      });
    });
  });

  test('a model that has no encrypted reasoning is asked without it', async () => {
    const message = 'Encrypted content is not supported with this model.';
    const refused = jsonReply(400, { error: { message, param: 'include', code: null } });
    await withServer([refused, done], async (baseURL, bodies) => {
      const model = openaiResponses('wire-1', { apiKey: 'k', baseURL });
      expect((await complete(model, buildRequest())).text).toBe('Done.');
      expect(bodies()[1]).not.toHaveProperty('include');
    });
  });

  test('options that would contradict the runner are refused', async () => {
    const model = openaiResponses('wire-1', { apiKey: 'k', baseURL: 'http://127.0.0.1:1' });
    const request = buildRequest({ options: { previous_response_id: 'resp_1' } });
    await expect(complete(model, request)).rejects.toMatchObject({ type: 'invalid_request' });
  });
});
