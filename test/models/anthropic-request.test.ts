import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { buildRequest as buildApiRequest } from '../../src/models/anthropic/build-request.ts';
import { assistantSaid, buildRequest, listIn, toolAnswered, userSays } from './build-request.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

function bodyOf(changes: Partial<ModelRequest>, cache: '5m' | '1h' | 'off' = 'off'): JsonObject {
  const { body } = buildApiRequest(buildRequest(changes), {
    model: 'claude-wire-1',
    cache,
    modelOptions: { service_tier: 'standard_only' },
    now: NOW,
    continued: [],
  });
  return JSON.parse(JSON.stringify(body)) as JsonObject;
}

function turn(content: readonly JsonObject[], more: JsonObject = {}) {
  return assistantSaid({
    raw: { model: 'claude-wire-1', content, ...more },
    format: 'anthropic',
    blocks: [],
    stopReason: 'end',
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
    model: 'claude-wire-1',
  });
}

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const PNG = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;

describe('requests to the Anthropic API', () => {
  test('results come first in their message, then what people said', () => {
    const { messages } = bodyOf({
      messages: [
        userSays('Hello'),
        turn([CALL]),
        userSays('Also this'),
        toolAnswered('toolu_1', 'look', 'seen'),
      ],
    });
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [CALL] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'seen' }],
          },
          { type: 'text', text: 'Also this' },
        ],
      },
    ]);
  });

  test('an error result holds text only; its images follow the results', () => {
    const results = [{ callId: 'toolu_1', tool: 'look', isError: true, content: [PNG] }];
    const { messages } = bodyOf({
      messages: [userSays('Hello'), turn([CALL]), { role: 'tool', results }],
    });
    expect((messages as JsonObject[])[2]?.['content']).toMatchObject([
      { type: 'tool_result', is_error: true },
      { type: 'image', source: { media_type: 'image/png' } },
    ]);
  });

  test('images and documents are sent in the API’s form; what it cannot take is named', () => {
    const { messages } = bodyOf({
      messages: [
        {
          role: 'user',
          content: [
            PNG,
            { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==', name: 'bill.pdf' },
            {
              type: 'document',
              mediaType: 'text/csv',
              data: Buffer.from('a;ä').toString('base64'),
            },
            { type: 'image', mediaType: 'image/tiff', data: 'AAAA', name: 'scan' },
          ],
        },
      ],
    });
    expect((messages as JsonObject[])[0]?.['content']).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.data } },
      {
        type: 'document',
        title: 'bill.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a;ä' } },
      { type: 'text', text: '[image scan: this model takes no image/tiff]' },
    ]);
  });

  test('at most four marks are made, at the end of what stays and of the last two user messages', () => {
    const steps = Array.from({ length: 6 }, (_, n) => [
      turn([{ ...CALL, id: `toolu_${n}` }]),
      toolAnswered(`toolu_${n}`, 'look', 'seen'),
    ]).flat();
    const body = bodyOf({ tools: [TOOL], messages: [userSays('Hello'), ...steps] }, '1h');
    expect(marks(body)).toBe(3);
    expect(body['system']).toMatchObject([{ cache_control: { type: 'ephemeral', ttl: '1h' } }]);
    const messages = body['messages'] as JsonObject[];
    expect(messages.map((message) => marks(message))).toEqual([
      ...Array.from({ length: 10 }, () => 0),
      1,
      0,
      1,
    ]);
  });

  test('marks that the agent made itself count', () => {
    const marked = {
      type: 'web_search_20250305',
      name: 'web_search',
      cache_control: { type: 'ephemeral' },
    };
    const hostedTools = [marked, { ...marked, name: 'again' }];
    const options = { cache_control: { type: 'ephemeral' } };
    const body = bodyOf({ hostedTools, options, messages: [userSays('a'), userSays('b')] }, '5m');
    expect(marks(body)).toBe(4);
  });

  test('without instructions the last tool is marked', () => {
    expect(bodyOf({ system: '', tools: [TOOL] }, '5m')).toMatchObject({
      tools: [{ name: 'look', cache_control: { type: 'ephemeral' } }],
    });
  });

  test('options are passed on in the API’s words', () => {
    const options = {
      effort: 'high',
      thinking: { type: 'adaptive' },
      service_tier: 'auto',
      temperature: 0.5,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      betas: ['one-2026', 'two-2026'],
    };
    expect(bodyOf({ options, tools: [TOOL] })).toMatchObject({
      output_config: { effort: 'high' },
      thinking: { type: 'adaptive' },
      service_tier: 'auto',
      temperature: 0.5,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
    expect(bodyOf({})).toMatchObject({ service_tier: 'standard_only' });
    const { headers } = buildApiRequest(buildRequest({ options }), {
      model: 'x',
      cache: 'off',
      modelOptions: {},
      now: NOW,
      continued: [],
    });
    expect(headers).toEqual({ 'anthropic-beta': 'one-2026,two-2026' });
  });

  test('options that would contradict the runner are refused', () => {
    expect(() => bodyOf({ options: { max_tokens: 5 } })).toThrow(
      /modelOptions may not set max_tokens/,
    );
  });

  test('a completion without tools still declares them, and forbids their use', () => {
    const body = bodyOf({ tools: [TOOL], toolChoice: 'none' });
    expect(body).toMatchObject({ tools: [{ name: 'look' }], tool_choice: { type: 'none' } });
    expect(bodyOf({ toolChoice: 'none' })).not.toHaveProperty('tool_choice');
  });

  test('the schema of the final answer goes in the API’s native form', () => {
    const output = {
      type: 'object',
      properties: { total: { type: 'number', minimum: 0 } },
      required: ['total'],
    };
    expect(bodyOf({ output, options: { effort: 'low' } })).toMatchObject({
      output_config: {
        effort: 'low',
        format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
      },
    });
  });

  test('code execution goes on in its container while that lives', () => {
    const hostedTools = [{ type: 'code_execution_20260521', name: 'code_execution' }];
    const said = (expires_at: string) => [
      userSays('Hello'),
      turn([{ type: 'text', text: 'Run.' }], { container: { id: 'container_1', expires_at } }),
      userSays('Go on'),
    ];
    const alive = said('2026-11-30T12:30:00Z');
    expect(bodyOf({ hostedTools, messages: alive })).toMatchObject({ container: 'container_1' });
    const dead = said('2026-11-30T11:30:00Z');
    expect(bodyOf({ hostedTools, messages: dead })).not.toHaveProperty('container');
  });

  test('ids of other providers are made into ids that the API takes, the same for call and result', () => {
    const id = 'functions.look:0';
    const { messages } = bodyOf({
      messages: [
        userSays('Hello'),
        {
          role: 'assistant',
          format: 'openai',
          model: 'x',
          raw: {},
          blocks: [{ type: 'tool_call', id, name: 'look', input: {} }],
        },
        toolAnswered(id, 'look', 'seen'),
      ],
    });
    const [, assistant, user] = messages as JsonObject[];
    const [call] = listIn(assistant, 'content');
    const [result] = listIn(user, 'content');
    expect(call?.['id']).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(result?.['tool_use_id']).toBe(call?.['id']);
  });
});

function marks(value: unknown): number {
  return JSON.stringify(value).split('"cache_control"').length - 1;
}
