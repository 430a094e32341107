import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { ModelRequest, RequestMessage } from '../../src/core/model-request.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import {
  inOrder,
  type ModelServer,
  startModelServer,
} from '../../src/models/contract/model-server.ts';
import {
  openaiCompatible,
  type OpenAICompatibleOptions,
} from '../../src/models/openai-compatible/openai-compatible.ts';
import { buildRequest, complete, toolAnswered, userSays } from './build-request.ts';

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const hello = openaiWire.answer({ text: 'Hello.' });

async function sent(
  request: Partial<ModelRequest>,
  options: Partial<OpenAICompatibleOptions> = {},
): Promise<JsonObject> {
  server = await startModelServer(inOrder(hello));
  const model = openaiCompatible({ model: 'wire-1', baseURL: `${server.url}/v1`, ...options });
  await complete(model, buildRequest(request));
  return server.requests[0]?.body as JsonObject;
}

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const PNG = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;

function called(...ids: string[]): RequestMessage {
  return {
    role: 'assistant',
    format: 'anthropic',
    model: 'x',
    raw: null,
    blocks: ids.map((id) => ({ type: 'tool_call', id, name: 'look', input: { id } })),
  };
}

describe('requests to compatible servers', () => {
  test('have tools, options and limits in the words of Chat Completions', async () => {
    const body = await sent(
      { tools: [LOOK], toolChoice: 'none', options: { temperature: 0.2 } },
      { modelOptions: { temperature: 0.9, top_p: 0.5 } },
    );
    expect(body).toMatchObject({
      model: 'wire-1',
      max_tokens: 1_000,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.2,
      top_p: 0.5,
      tool_choice: 'none',
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      messages: [
        { role: 'system', content: 'You answer.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  test('preset openai uses OpenAI’s newer words', async () => {
    const body = await sent({}, { preset: 'openai', apiKey: 'k' });
    expect(body).toMatchObject({
      max_completion_tokens: 1_000,
      messages: [{ role: 'developer' }, { role: 'user' }],
    });
    expect(body).not.toHaveProperty('max_tokens');
  });

  test('one result a message; its images follow as a user message', async () => {
    const result = (callId: string) => ({ callId, tool: 'look', isError: false });
    const body = await sent({
      messages: [
        userSays('Look'),
        called('a', 'b'),
        {
          role: 'tool',
          results: [
            { ...result('a'), content: [{ type: 'text', text: 'one' }, PNG] },
            { ...result('b'), content: [{ type: 'text', text: 'two' }] },
          ],
        },
      ],
    });
    expect((body['messages'] as JsonObject[]).slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'look', arguments: `{"id":"${id}"}` },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of look:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
    ]);
  });

  test('documents go where they are taken, as text where that is what they are', async () => {
    const content = [
      { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==', name: 'bill.pdf' },
      { type: 'document', mediaType: 'text/csv', data: Buffer.from('a;ä').toString('base64') },
    ] as const;
    const messages: RequestMessage[] = [{ role: 'user', content }];
    const [, taken] = (await sent({ messages }, { quirks: { documents: true } }))[
      'messages'
    ] as JsonObject[];
    expect(taken?.['content']).toMatchObject([
      { type: 'file', file: { filename: 'bill.pdf' } },
      { type: 'text', text: 'document:\na;ä' },
    ]);
    await server?.close();
    const [, plain] = (await sent({ messages }))['messages'] as JsonObject[];
    expect(plain?.['content']).toBe(
      '[document bill.pdf: this model takes no application/pdf]\ndocument:\na;ä',
    );
  });

  test.each([
    ['null', null],
    ['string', ''],
    ['omit', undefined],
  ] as const)(
    'empty content beside calls as the server wants it: %s',
    async (emptyContent, expected) => {
      const body = await sent(
        { messages: [userSays('Look'), called('a'), toolAnswered('a', 'look', 'seen')] },
        { quirks: { emptyContent } },
      );
      const assistant = (body['messages'] as JsonObject[])[2];
      expect(assistant?.['content']).toBe(expected);
      expect(assistant && 'content' in assistant).toBe(expected !== undefined);
    },
  );

  test('instructions before the first user message, where there is no system role', async () => {
    const body = await sent({}, { quirks: { systemRole: 'user' } });
    expect(body['messages']).toEqual([{ role: 'user', content: 'You answer.\n\nHello' }]);
  });

  test('strict turns, where templates want them', async () => {
    const body = await sent(
      {
        messages: [
          userSays('One'),
          userSays('Two'),
          called('a'),
          toolAnswered('a', 'look', 'seen'),
        ],
      },
      { quirks: { alternateRoles: true } },
    );
    expect((body['messages'] as JsonObject[]).map((message) => message['role'])).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
  });

  test('results as user text, where there is no tool role', async () => {
    const body = await sent(
      { messages: [userSays('Look'), called('a'), toolAnswered('a', 'look', 'seen')] },
      { quirks: { toolRole: false } },
    );
    expect((body['messages'] as JsonObject[]).at(-1)).toEqual({
      role: 'user',
      content: 'Result of look (call a):\nseen',
    });
  });

  test('one call a message, where parallel calls are not known', async () => {
    const results = [...toolResults('a'), ...toolResults('b')];
    const body = await sent(
      { tools: [LOOK], messages: [userSays('Look'), called('a', 'b'), { role: 'tool', results }] },
      { quirks: { parallelCalls: false } },
    );
    expect(body['parallel_tool_calls']).toBe(false);
    expect((body['messages'] as JsonObject[]).slice(2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'assistant', tool_calls: [{ id: 'b' }] },
      { role: 'tool', tool_call_id: 'b' },
    ]);
  });

  test('the answer’s schema is not sent where it would keep the model from its tools', async () => {
    const output = { type: 'object', properties: {} };
    const schema = { response_format: { type: 'json_schema', json_schema: { schema: output } } };
    const quirks = { structuredOutput: 'withoutTools' } as const;
    expect(await sent({ output, tools: [LOOK] })).toMatchObject(schema);
    await server?.close();
    expect(await sent({ output, tools: [LOOK] }, { quirks })).not.toHaveProperty('response_format');
    await server?.close();
    expect(await sent({ output, tools: [LOOK], toolChoice: 'none' }, { quirks })).toMatchObject(
      schema,
    );
  });

  test('options that would contradict the runner are refused', async () => {
    await expect(sent({ options: { n: 2 } })).rejects.toMatchObject({ type: 'invalid_request' });
  });
});

function toolResults(callId: string) {
  const content = [{ type: 'text', text: 'seen' }] as const;
  return [{ callId, tool: 'look', content, isError: false }];
}
