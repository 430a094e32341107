import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  ConversationClosed,
  ConversationExists,
  ConversationFailed,
  type PerdureClient,
} from '../../src/client/index.ts';
import { broken, desk, echo, restless } from '../cli/agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from './soon.ts';

const served = serveAgents({ agents: [broken, desk, echo, restless] });
const by = { id: 'ana', via: 'test' };

describe('a start with an id', () => {
  test('is taken once while the conversation runs', async () => {
    const id = `once-${randomUUID()}`;
    const first = await served.client.start('echo', { mode: 'chat', message: 'one', id });
    const second = await served.client.start('echo', { mode: 'chat', message: 'two', id });
    expect(second.id).toBe(id);
    await expect.poll(async () => (await second.status()).status, SOON).toBe('waiting_input');
    expect(await saidIn(served.client, id)).toEqual(['one']);
    await first.close();
    await first.result();
  });

  test('is refused when the conversation has ended, unless the id is to run again', async () => {
    const id = `again-${randomUUID()}`;
    await (await served.client.start(echo, { message: 'one', id })).result();
    const starting = served.client.start(echo, { message: 'two', id });
    await expect(starting).rejects.toMatchObject({ name: 'ConversationExists', reason: 'closed' });
    const again = await served.client.start(echo, { message: 'two', id, reuse: true });
    expect(await again.result()).toMatchObject({ text: 'you said: two' });
  });

  test('is refused when another agent has it', async () => {
    const id = `taken-${randomUUID()}`;
    const chat = await served.client.start('echo', { mode: 'chat', id });
    const starting = served.client.start('desk', { message: 'A-1', id });
    await expect(starting).rejects.toThrow(ConversationExists);
    await expect(starting).rejects.toMatchObject({ reason: 'other_agent', agent: 'echo' });
    await chat.close();
  });

  test('may say how soon a workflow task of a worker that is gone goes to another', async () => {
    const chat = await served.client.start('echo', { mode: 'chat', workflowTaskTimeout: '3s' });
    const { raw } = await served.client.temporal.workflow.getHandle(chat.id).describe();
    expect(raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds?.toString()).toBe('3');
    await chat.close();
  });

  test('without one gets a readable one that begins with the agent', async () => {
    const { id } = await served.client.start('echo', { message: 'hello' });
    expect(id).toMatch(/^echo-[2-9a-z]{10}$/);
  });
});

describe('a result', () => {
  test('of a limit says so', async () => {
    const conversation = await served.client.start('restless', { message: 'go' });
    expect(await conversation.result()).toMatchObject({
      status: 'partial',
      stopReason: 'max_steps',
    });
  });

  test('of a failed task is an error with its type and what there was by then', async () => {
    const conversation = await served.client.start('broken', { message: 'go' });
    const error: unknown = await conversation.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConversationFailed);
    expect(error).toMatchObject({
      end: 'failed',
      type: 'ModelRejected',
      stopReason: 'model_rejected',
      result: { turns: 1 },
    });
  });

  test('of a cancelled conversation is an error that says who it was', async () => {
    const conversation = await served.client.start('echo', { mode: 'chat' });
    await conversation.cancel();
    await expect(conversation.result()).rejects.toMatchObject({
      end: 'cancelled',
      type: 'Cancelled',
    });
  });

  test('is waited for only as long as the caller wants', async () => {
    const conversation = await served.client.start('echo', { mode: 'chat' });
    const leaving = new AbortController();
    const waiting = conversation.result({ signal: leaving.signal });
    leaving.abort(new Error('had to leave'));
    await expect(waiting).rejects.toThrow('had to leave');
    await conversation.close();
  });
});

test('a conversation that has ended takes nothing more, and says so', async () => {
  const conversation = await served.client.start('echo', { message: 'hello' });
  await conversation.result();
  const sending = [
    conversation.send('more'),
    conversation.approve('call_1', { by }),
    conversation.deny('call_1', { by }),
    conversation.stop({ by }),
    conversation.close({ by }),
    conversation.cancel(),
  ];
  for (const answer of await Promise.allSettled(sending)) {
    expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(ConversationClosed) });
    expect(answer).toMatchObject({ reason: { code: 'closed' } });
  }
});

async function saidIn(client: PerdureClient, id: string): Promise<unknown[]> {
  const entries = await client.handle(id).entries();
  return entries.flatMap(({ entry }) => (entry.kind === 'user' ? [entry.content] : []));
}
