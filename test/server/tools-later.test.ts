import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeCompletionToken } from '../../src/core/completion-token.ts';
import type { ToolResultPart } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { failedTasks } from '../support/raw-sender.ts';
import { serveAgents } from '../support/serve-agents.ts';

const tokens = new Map<string, string>();
const results = new Map<string, readonly ToolResultPart[]>();

const print = defineTool({
  name: 'print_label',
  description: 'Prints a label, some time.',
  inputSchema: z.object({}),
  effect: 'once',
  completion: 'later',
  timeout: '10 minutes',
  execute: (_, ctx) => {
    tokens.set(ctx.conversationId, ctx.completionToken ?? '');
  },
});

const printer = defineAgent({
  name: 'printer',
  model: scripted((request, turn) => {
    if (turn === 0) return toolCall('print_label', {});
    const last = request.messages.at(-1);
    const tools = request.messages.flatMap((message) =>
      message.role === 'tool' ? message.results : [],
    );
    results.set(request.conversationId, tools);
    return `ended after ${last?.role}`;
  }),
  instructions: 'Print.',
  tools: [print],
});

// Shorter than the calls of these tests wait: one that was handed out sends no heartbeats.
const served = serveAgents({ agents: [printer], heartbeatTimeout: '1 s' });

async function printing() {
  const conversation = await served.client.start('printer', { mode: 'chat', message: 'print' });
  await expect.poll(() => tokens.get(conversation.id), { timeout: 15_000 }).toBeDefined();
  return { conversation, token: tokens.get(conversation.id) ?? '' };
}

describe('a call that another service completes', () => {
  test('waits longer than a heartbeat timeout and settles with what the service says', async () => {
    const { conversation, token } = await printing();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await served.client.completeLater(token, { output: { label: 7 } });
    await expect
      .poll(() => results.get(conversation.id), { timeout: 10_000 })
      .toMatchObject([
        { tool: 'print_label', isError: false, content: [{ type: 'text', text: '{"label":7}' }] },
      ]);
    await conversation.close();
  });

  test('settles as tool_error when the service reports one', async () => {
    const { conversation, token } = await printing();
    await served.client.completeLater(token, { error: 'out of paper' });
    await expect
      .poll(() => results.get(conversation.id), { timeout: 10_000 })
      .toMatchObject([
        { isError: true, content: [{ text: expect.stringContaining('out of paper') as unknown }] },
      ]);
    await conversation.close();
  });

  test('is completed once: a second answer is refused', async () => {
    const { conversation, token } = await printing();
    await served.client.completeLater(token, { output: 'first' });
    await expect(served.client.completeLater(token, { output: 'second' })).rejects.toMatchObject({
      code: 'not_pending',
    });
    await conversation.close();
  });

  test('is settled at once when the conversation is stopped, as nobody knows what', async () => {
    const { conversation, token } = await printing();
    await conversation.stop();
    await expect
      .poll(async () => (await conversation.status()).status, { timeout: 10_000 })
      .toBe('waiting_input');
    await conversation.send('what happened?');
    await expect
      .poll(() => results.get(conversation.id), { timeout: 10_000 })
      .toMatchObject([
        {
          isError: true,
          content: [{ text: expect.stringMatching(/\[cancelled\][^]*not known/) as unknown }],
        },
      ]);
    // What comes too late changes nothing that the model was told.
    await served.client.completeLater(token, { output: 'late' }).catch(() => undefined);
    await conversation.send('and now?');
    await expect.poll(() => results.get(conversation.id)?.length, { timeout: 10_000 }).toBe(1);
    await conversation.close();
  });
});

test.each<[string, unknown]>([
  ['a text', 'printed'],
  ['nothing', null],
  ['something like a result', { outcome: 'ok', content: { nothing: 1 } }],
])('a call that somebody completes with %s goes on, as nobody knows what', async (_, value) => {
  const { conversation, token } = await printing();
  const { taskToken } = decodeCompletionToken(token);
  await served.client.temporal.activity.complete(Buffer.from(taskToken, 'base64'), value);
  await expect
    .poll(() => results.get(conversation.id), { timeout: 10_000 })
    .toMatchObject([
      {
        isError: true,
        content: [
          { text: expect.stringMatching(/completed from outside[^]*not known/) as unknown },
        ],
      },
    ]);
  await conversation.close();
  await conversation.result();
  expect(await failedTasks(served.client.temporal, conversation.id)).toEqual([]);
});
