import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { violationsOf } from '../core/request-linter/check-request.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { withWorker } from '../support/with-worker.ts';

const slow = defineTool({
  name: 'slow',
  description: 'Takes a while.',
  inputSchema: z.object({ ms: z.number() }),
  effect: 'read',
  execute: async ({ ms }, { signal }) => {
    await pause(ms, undefined, { signal });
    return 'done';
  },
});

/** The last thing that was said, as the model sees it. */
function lastText(request: ModelRequest): string {
  const message = request.messages.at(-1);
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' | ');
}

const echo = defineAgent({
  name: 'echo',
  model: scripted((request) => `You said: ${lastText(request)}`),
  instructions: 'Echo.',
});

/** The last request of each conversation with the waiter. */
const asked = new Map<string, ModelRequest>();

const waiter = defineAgent({
  name: 'waiter',
  model: scripted((request, turn) => {
    asked.set(request.conversationId, request);
    return turn % 2 === 0 ? toolCall('slow', { ms: 20_000 }) : `After: ${lastText(request)}`;
  }),
  instructions: 'Wait.',
  tools: [slow],
});

const steered = defineAgent({
  name: 'steered',
  model: scripted((request, turn) =>
    turn === 0 ? toolCall('slow', { ms: 700 }) : `After: ${lastText(request)}`,
  ),
  instructions: 'Wait.',
  tools: [slow],
});

let completionsBegun = 0;

const slowThinker = defineAgent({
  name: 'slow_thinker',
  model: scripted(() => {
    completionsBegun += 1;
    return { text: 'Hm. '.repeat(100), delayMs: 60_000 };
  }),
  instructions: 'Think.',
});

const served = serveAgents({ agents: [echo, waiter, steered, slowThinker] });

/** Kinds of its entries; of a result, how its call ended. */
async function transcriptOf(conversation: ConversationHandle): Promise<string[]> {
  return (await conversation.entries()).flatMap(({ entry }) =>
    entry.kind === 'note' ? [] : [entry.kind === 'result' ? entry.outcome : entry.kind],
  );
}

describe('a chat', () => {
  test('answers each message in a turn of its own and completes when it is closed', async () => {
    const conversation = await served.client.start('echo', { mode: 'chat' });
    expect(await conversation.send('one')).toMatchObject({ turn: 1, state: 'started' });
    await expect.poll(async () => (await conversation.status()).lastTurn?.turn).toBe(1);
    expect(await conversation.send('two')).toMatchObject({ turn: 2, state: 'started' });
    await expect
      .poll(async () => (await conversation.status()).lastTurn?.text)
      .toBe('You said: two');
    await conversation.close();
    expect(await conversation.result()).toMatchObject({
      status: 'completed',
      stopReason: 'closed',
      turns: 2,
      text: 'You said: two',
    });
    expect(await transcriptOf(conversation)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((await conversation.record()).calls).toEqual([]);
  });

  test('takes a message that is sent twice with the same id once, with the same answer', async () => {
    const conversation = await served.client.start('echo', { mode: 'chat' });
    const first = await conversation.send('hello', { id: 'greeting' });
    expect(await conversation.send('hello', { id: 'greeting' })).toEqual(first);
    await expect.poll(async () => (await conversation.status()).status).toBe('waiting_input');
    expect((await conversation.status()).turn).toBe(1);
    await conversation.close();
    expect(await conversation.result()).toMatchObject({ turns: 1 });
  });

  test('enters a steering message at the next step of the running turn', async () => {
    const conversation = await served.client.start('steered', { mode: 'chat', message: 'go' });
    await expect.poll(async () => (await conversation.status()).step).toBe(1);
    expect(await conversation.send('hurry', { when: 'steer' })).toMatchObject({
      turn: 1,
      state: 'steered',
    });
    expect(await conversation.send('later')).toMatchObject({ turn: 2, state: 'queued' });
    await expect
      .poll(async () => (await conversation.status()).lastTurn?.text, { timeout: 10_000 })
      .toBe('After: later');
    await conversation.close();
    const result = await conversation.result();
    expect(result).toMatchObject({ turns: 2 });
  });

  test('stays usable after a stop, and the model sees that the call was cancelled', async () => {
    const conversation = await served.client.start('waiter', { mode: 'chat', message: 'go' });
    await expect.poll(async () => (await conversation.status()).step).toBe(1);
    await expect.poll(async () => (await conversation.describe()).status).toBe('running');
    await pause(300);
    await conversation.stop({ reason: 'too slow', by: { id: 'boss' } });
    await expect
      .poll(async () => (await conversation.status()).lastTurn, { timeout: 10_000 })
      .toMatchObject({ turn: 1, stopReason: 'stopped' });
    expect((await conversation.summary()).calls).toEqual({ slow: { cancelled: 1 } });
    await conversation.send('still there?');
    await expect
      .poll(async () => (await conversation.status()).lastTurn?.text, { timeout: 10_000 })
      .toContain('still there?');
    const request = asked.get(conversation.id);
    expect(request?.messages).toMatchObject([
      { role: 'user', content: [{ text: 'go' }] },
      { role: 'assistant', blocks: [{ type: 'tool_call', name: 'slow' }] },
      { role: 'tool', results: [{ content: [{ text: expect.stringMatching(/^\[cancelled\]/) }] }] },
      {
        role: 'user',
        content: [
          { text: '[The turn was interrupted by boss: too slow.]' },
          { text: 'still there?' },
        ],
      },
    ]);
    expect(request === undefined ? 'not asked' : violationsOf(request)).toEqual([]);
    await conversation.close();
    expect(await conversation.result()).toMatchObject({ stopReason: 'closed', turns: 2 });
  });

  test('is stopped before its first turn has begun; what is said after that is answered', async () => {
    const { temporal } = served.client;
    const id = `stopped-${randomUUID()}`;
    const taskQueue = `${served.taskQueue}-later`;
    await temporal.workflow.signalWithStart('echo', {
      workflowId: id,
      taskQueue,
      args: [{ mode: 'chat', message: 'go' }],
      signal: 'stop',
      signalArgs: [{ reason: 'wrong agent' }],
    });
    await temporal.workflow.getHandle(id).signal('message', { content: 'rather this' });
    // All of it waits for the first worker: it is taken in the order in which it was sent.
    await withWorker({ agents: [echo], taskQueue }, async ({ client }) => {
      const conversation = client.handle(id);
      await expect
        .poll(async () => (await conversation.status()).lastTurn, { timeout: 20_000 })
        .toMatchObject({
          turn: 2,
          stopReason: 'answered',
          text: expect.stringMatching(/rather this$/),
        });
      expect((await conversation.summary()).completions).toBe(1);
      const notes = (await conversation.entries()).flatMap(({ entry }) =>
        entry.kind === 'note' ? [entry.text] : [],
      );
      expect(notes).toEqual(['[The turn was interrupted: wrong agent.]']);
      await conversation.close();
      await conversation.result();
    });
  });

  test('completes as idle when nobody says anything', async () => {
    const conversation = await served.client.start('echo', {
      mode: 'chat',
      message: 'hi',
      idleTimeout: '300ms',
    });
    expect(await conversation.result()).toMatchObject({ stopReason: 'idle', text: 'You said: hi' });
  });

  test('ends cancelled when it is cancelled in the middle of a call', async () => {
    const conversation = await served.client.start('waiter', { mode: 'chat', message: 'go' });
    await expect.poll(async () => (await conversation.status()).step).toBe(1);
    await pause(300);
    await conversation.cancel();
    await expect(conversation.result()).rejects.toMatchObject({
      name: 'ConversationFailed',
      end: 'cancelled',
    });
    expect(await transcriptOf(conversation)).toEqual(['user', 'assistant', 'cancelled']);
  });

  test('ends cancelled when it is cancelled in the middle of a completion', async () => {
    const conversation = await served.client.start('slow_thinker', { mode: 'chat', message: 'go' });
    await expect.poll(() => completionsBegun, { timeout: 20_000 }).toBe(1);
    await conversation.cancel();
    await expect(conversation.result()).rejects.toMatchObject({ end: 'cancelled' });
    expect(await transcriptOf(conversation)).toEqual(['user']);
    expect(completionsBegun).toBe(1);
  });

  test('ends cancelled when it is cancelled between two turns', async () => {
    const conversation = await served.client.start('echo', { mode: 'chat', message: 'hi' });
    await expect.poll(async () => (await conversation.status()).status).toBe('waiting_input');
    await conversation.cancel();
    await expect(conversation.result()).rejects.toMatchObject({ end: 'cancelled' });
    expect(await transcriptOf(conversation)).toEqual(['user', 'assistant']);
  });
});
