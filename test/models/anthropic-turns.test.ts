import { afterEach, describe, expect, test } from 'vitest';
import { anthropic, type AnthropicOptions } from '../../src/models/anthropic/anthropic.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { anthropicWire, event } from '../../src/models/contract/anthropic-wire.ts';
import {
  inOrder,
  type ModelServer,
  startModelServer,
  type WireReply,
} from '../../src/models/contract/model-server.ts';
import type { Model } from '../../src/models/model.ts';
import {
  assistantSaid,
  buildRequest,
  complete,
  listIn,
  toolAnswered,
  userSays,
} from './build-request.ts';

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(
  replies: readonly WireReply[],
  options: AnthropicOptions = {},
): Promise<{ model: Model; bodies: () => JsonObject[] }> {
  const started = await startModelServer(inOrder(...replies));
  server = started;
  return {
    model: anthropic('claude-wire-1', { apiKey: 'test-key', baseURL: started.url, ...options }),
    bodies: () => started.requests.map((request) => request.body as JsonObject),
  };
}

/** A turn from content blocks that the server sends whole. */
function blocksReply(blocks: readonly Json[], stop: string, usage: JsonObject = {}): WireReply {
  const whole = anthropicWire.answer({ text: 'x' });
  return {
    ...whole,
    chunks: [
      event({
        type: 'message_start',
        message: { model: 'claude-wire-1', usage: { input_tokens: 10, output_tokens: 1 } },
      }),
      ...blocks.flatMap((content_block, index) => [
        event({ type: 'content_block_start', index, content_block }),
        event({ type: 'content_block_stop', index }),
      ]),
      event({
        type: 'message_delta',
        delta: { stop_reason: stop },
        usage: { output_tokens: 5, ...usage },
      }),
      event({ type: 'message_stop' }),
    ],
  };
}

const SEARCH: Json[] = [
  { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'weather' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{ type: 'web_search_result', encrypted_content: 'RU5D', url: 'https://example.org' }],
  },
];

describe('turns of the Anthropic API', () => {
  test('thinking with its signature, citations and blocks of hosted tools go back byte for byte', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJl+/=' },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
      ...SEARCH,
      { type: 'text', text: 'Sunny.', citations: [{ type: 'web_search_result_location', n: 1 }] },
      { type: 'a_block_of_tomorrow', nested: { deep: [1, 2.5, null] } },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'find_order',
        input: { id: 1 },
        caller: { type: 'direct' },
      },
    ];
    const { model, bodies } = await serve([
      blocksReply(content, 'tool_use'),
      anthropicWire.answer({ text: 'Done.' }),
    ]);
    const { completion } = await complete(model, buildRequest());
    expect(completion.blocks.map((block) => block.type)).toEqual([
      'reasoning',
      'reasoning',
      'opaque',
      'opaque',
      'text',
      'opaque',
      'tool_call',
    ]);
    const recorded = JSON.parse(JSON.stringify(completion)) as typeof completion;
    await complete(
      model,
      buildRequest({
        messages: [
          userSays('Hello'),
          assistantSaid(recorded),
          toolAnswered('toolu_1', 'find_order', 'ok'),
        ],
      }),
    );
    const [, assistant] = listIn(bodies()[1], 'messages');
    expect(JSON.stringify(assistant?.['content'])).toBe(JSON.stringify(content));
  });

  test('thinking is not sent to another model than the one that thought it', async () => {
    const { model, bodies } = await serve([
      anthropicWire.answer({ reasoning: 'Secretly.', text: 'Hello.' }),
      anthropicWire.answer({ text: 'Done.' }),
    ]);
    const { completion } = await complete(model, buildRequest());
    const other = anthropic('claude-wire-2', { apiKey: 'test-key', baseURL: server?.url ?? '' });
    await complete(
      other,
      buildRequest({ messages: [userSays('Hi'), assistantSaid(completion), userSays('And?')] }),
    );
    expect(bodies()[1]?.['messages']).toMatchObject([
      {},
      { content: [{ type: 'text', text: 'Hello.' }] },
      {},
    ]);
    expect(JSON.stringify(bodies()[1])).not.toContain('Secretly');
  });

  test('thinking whose block never ends is told as it came, and what follows is text', async () => {
    const block = (index: number, content_block: JsonObject, delta: JsonObject) => [
      event({ type: 'content_block_start', index, content_block }),
      event({ type: 'content_block_delta', index, delta }),
    ];
    const { chunks, ...whole } = blocksReply([], 'end_turn');
    const { model } = await serve([
      {
        ...whole,
        chunks: [
          ...chunks.slice(0, 1),
          ...block(0, { type: 'thinking' }, { type: 'thinking_delta', thinking: 'Hm.' }),
          ...block(1, text(''), { type: 'text_delta', text: 'Yes.' }),
          ...chunks.slice(1),
        ],
      },
    ]);
    const { completion, events } = await complete(model, buildRequest());
    expect(events.filter(({ type }) => type !== 'alive')).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ]);
    // Without its signature the API would not take it back.
    expect(completion).toMatchObject({ stopReason: 'end', blocks: [text('Yes.')] });
  });

  test('a paused turn is continued with its content unchanged, and is one turn', async () => {
    const { model, bodies } = await serve([
      blocksReply(SEARCH, 'pause_turn'),
      blocksReply([{ type: 'text', text: 'It is sunny.' }], 'end_turn'),
    ]);
    const { completion } = await complete(model, buildRequest());
    expect(completion).toMatchObject({
      stopReason: 'end',
      usage: { input: 20, output: 10 },
      raw: { content: [...SEARCH, { type: 'text', text: 'It is sunny.' }] },
    });
    expect(bodies()[1]?.['messages']).toEqual([
      { role: 'user', content: [{ ...text('Hello'), cache_control: { type: 'ephemeral' } }] },
      { role: 'assistant', content: SEARCH },
    ]);
  });

  test('a turn that is paused without end stops at the bound', async () => {
    const replies = Array.from({ length: 5 }, () => blocksReply(SEARCH, 'pause_turn'));
    const { model, bodies } = await serve(replies, { maxContinuations: 2 });
    const { completion } = await complete(model, buildRequest());
    expect(completion).toMatchObject({ stopReason: 'other', providerStopReason: 'pause_turn' });
    expect(bodies()).toHaveLength(3);
  });

  test('a failure after a pause tells what the turn had used', async () => {
    const { model } = await serve([
      blocksReply(SEARCH, 'pause_turn'),
      anthropicWire.error('overloaded'),
    ]);
    await expect(complete(model, buildRequest())).rejects.toMatchObject({
      type: 'overloaded',
      usage: { input: 10, output: 5 },
    });
  });

  test('what the API would refuse to take back is not recorded', async () => {
    const { model } = await serve([
      blocksReply(
        [
          text('\n\n'),
          { type: 'tool_use', id: 'toolu_1', name: 'find_order', input: {} },
          { type: 'thinking', thinking: 'cut before its sig', signature: '' },
        ],
        'max_tokens',
      ),
    ]);
    const { completion } = await complete(model, buildRequest());
    expect(completion).toMatchObject({
      stopReason: 'max_tokens',
      raw: { content: [{ type: 'tool_use' }] },
    });
  });

  test('a full context window is told, with what was said', async () => {
    const { model } = await serve([
      anthropicWire.answer({ text: 'As I was saying', stop: 'context_overflow' }),
    ]);
    const { completion } = await complete(model, buildRequest());
    expect(completion).toMatchObject({
      stopReason: 'context_overflow',
      blocks: [text('As I was saying')],
    });
  });

  test('a refusal names its category', async () => {
    const whole = blocksReply([text('First,')], 'refusal');
    const refused = event({
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber' } },
      usage: { output_tokens: 2 },
    });
    const { model } = await serve([
      { ...whole, chunks: [...whole.chunks.slice(0, 3), refused, event({ type: 'message_stop' })] },
    ]);
    const { completion } = await complete(model, buildRequest());
    expect(completion).toMatchObject({
      stopReason: 'refused',
      providerStopReason: 'refusal (cyber)',
      blocks: [],
    });
  });

  test('calls that are billed beside the answer are counted', async () => {
    const { model } = await serve([
      blocksReply([text('Yes.')], 'end_turn', {
        iterations: [
          { type: 'message', input_tokens: 10, output_tokens: 5 },
          { type: 'compaction', input_tokens: 1_000, output_tokens: 50 },
        ],
      }),
    ]);
    const { completion } = await complete(model, buildRequest());
    expect(completion.usage).toMatchObject({ input: 1_010, output: 55 });
  });
});

function text(words: string): JsonObject {
  return { type: 'text', text: words };
}
