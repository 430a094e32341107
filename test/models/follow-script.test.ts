import { describe, expect, test } from 'vitest';
import type { RequestMessage } from '../../src/core/model-request.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import { followScript } from '../../src/models/contract/follow-script.ts';
import { startModelServer } from '../../src/models/contract/model-server.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import { responsesWire } from '../../src/models/contract/responses-wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import { openaiResponses } from '../../src/models/openai-responses/openai-responses.ts';
import { assistantSaid, buildRequest, complete, toolAnswered, userSays } from './build-request.ts';

const SCRIPT = [
  { reasoning: 'Hm.', text: 'I look.', calls: [{ id: 'call_1', name: 'look', input: {} }] },
  { calls: [{ id: 'call_2', name: 'look', input: {} }] },
  { text: 'Done.' },
];

describe('a server that follows a script', () => {
  test.each([
    ['anthropic', anthropicWire, (url: string) => anthropic('m', { apiKey: 'k', baseURL: url })],
    ['openai', openaiWire, (url: string) => openaiCompatible({ model: 'm', baseURL: `${url}/v1` })],
    [
      'responses',
      responsesWire,
      (url: string) => openaiResponses('m', { apiKey: 'k', baseURL: url }),
    ],
  ] as const)('plays it over %s, whichever process asks', async (_name, wire, create) => {
    const server = await startModelServer(followScript(wire, SCRIPT));
    const messages: RequestMessage[] = [userSays('Hello')];
    const texts: string[] = [];
    for (const _ of SCRIPT) {
      await complete(create(server.url), buildRequest({ messages }));
      const { completion, text } = await complete(create(server.url), buildRequest({ messages }));
      texts.push(text);
      messages.push(assistantSaid(completion));
      for (const block of completion.blocks) {
        if (block.type === 'tool_call') messages.push(toolAnswered(block.id, block.name, 'seen'));
      }
    }
    const end = complete(
      create(server.url),
      buildRequest({ messages: [...messages, userSays('And?')] }),
    );
    await expect(end).rejects.toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('asks for turn 4') as string,
    });
    await server.close();
    expect(texts).toEqual(['I look.', '', 'Done.']);
  });
});
