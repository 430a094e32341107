import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { eventsOf } from '../support/approvals.ts';
import { heldSegments } from '../support/held-segments.ts';
import { failedTasks, messageOfBytes, rawJson, rawSender } from '../support/raw-sender.ts';
import { serveAgents } from '../support/serve-agents.ts';

const by = { id: 'approver' };
const paid: number[] = [];

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ cents: z.number(), memo: z.string().optional() }),
  effect: 'once',
  needsApproval: true,
  execute: ({ cents }) => {
    paid.push(cents);
    return `paid ${cents}`;
  },
});

const payer = defineAgent({
  name: 'payer',
  model: scripted((request) =>
    request.messages.at(-1)?.role === 'user' && !JSON.stringify(request).includes('"tool"')
      ? toolCall('pay', { cents: 5 })
      : 'Done.',
  ),
  instructions: 'Pay.',
  tools: [pay],
});

const payTwice = defineAgent({
  name: 'pays_twice',
  model: scripted((_, turn) =>
    turn === 0 ? [toolCall('pay', { cents: 5 }), toolCall('pay', { cents: 6 })] : 'Done.',
  ),
  instructions: 'Pay.',
  tools: [pay],
});

const blobs = heldSegments(await mkdtemp(join(tmpdir(), 'perdure-held-')));
const served = serveAgents({
  agents: [payer, payTwice],
  blobs,
  internals: { handOver: { bytes: 3_000_000, events: 60 } },
});

beforeEach(() => {
  paid.length = 0;
});

/** A conversation that waits for an approval and is in the middle of its hand-over. */
async function handingOver(
  agent = 'payer',
  calls = 1,
): Promise<{ conversation: ConversationHandle; key: string; keys: string[] }> {
  blobs.hold();
  const conversation = await served.client.start(agent, { mode: 'chat', message: 'pay' });
  await expect.poll(() => conversation.approvals(), { timeout: 20_000 }).toHaveLength(calls);
  const keys = (await conversation.approvals()).map((request) => request.key);
  const status = async () => (await conversation.status()).status;
  for (let n = 0; n < 30 && (await status()) !== 'handing_over'; n++) {
    await conversation.send(`filler ${n}`, { id: `filler ${n}` });
  }
  expect(await status()).toBe('handing_over');
  return { conversation, key: keys[0] ?? '', keys };
}

async function inNextRun(conversation: ConversationHandle): Promise<void> {
  const { run } = await conversation.status();
  blobs.release();
  await expect
    .poll(async () => (await conversation.status()).run, { timeout: 20_000 })
    .not.toBe(run);
}

async function closed(conversation: ConversationHandle): Promise<void> {
  await expect
    .poll(async () => (await conversation.status()).status, { timeout: 20_000 })
    .toBe('waiting_input');
  await conversation.close();
  await conversation.result();
  expect(await failedTasks(served.client.temporal, conversation.id)).toEqual([]);
}

async function acceptedVerdicts(conversation: ConversationHandle): Promise<number> {
  const events = await eventsOf(conversation);
  return events.filter(
    ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
      accepted?.acceptedRequest?.input?.name === 'decide',
  ).length;
}

async function said(conversation: ConversationHandle): Promise<string[]> {
  return (await conversation.entries()).flatMap(({ entry }) =>
    entry.kind === 'user' ? [entry.id] : [],
  );
}

describe('while a conversation is handed over', () => {
  test('a stop interrupts the turn in the next run', async () => {
    const { conversation } = await handingOver();
    await conversation.stop({ reason: 'enough', by: { id: 'boss' } });
    await inNextRun(conversation);
    await expect
      .poll(async () => (await conversation.summary()).calls, { timeout: 20_000 })
      .toEqual({ pay: { cancelled: 1 } });
    await closed(conversation);
    expect(paid).toEqual([]);
    const notes = (await conversation.entries()).flatMap(({ entry }) =>
      entry.kind === 'note' ? [entry.text] : [],
    );
    expect(notes).toEqual(['[The turn was interrupted by boss: enough.]']);
  });

  test('messages of any size enter the next run, each once', async () => {
    const { conversation, key } = await handingOver();
    const sender = rawSender(served.client.temporal);
    const large = [1, 2, 3].map((n) => `large ${n}`);
    for (const id of large) {
      await sender.signal(conversation.id, 'message', messageOfBytes(1_900_000, { id }));
    }
    await conversation.send('small', { id: 'small' });
    await sender.signal(conversation.id, 'message', rawJson('{"content":"again","id":"small"}'));
    await inNextRun(conversation);
    await conversation.deny(key, { by });
    await closed(conversation);
    const ids = await said(conversation);
    expect(ids.filter((id) => !id.startsWith('filler'))).toEqual(['start', ...large, 'small']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a denial counts at once, and the model is told its reason in the next run', async () => {
    const { conversation, key } = await handingOver();
    await conversation.deny(key, { by, reason: 'we do not pay twice' });
    await inNextRun(conversation);
    await closed(conversation);
    expect(paid).toEqual([]);
    const results = (await conversation.entries()).flatMap(({ entry }) =>
      entry.kind === 'result' ? [entry.content] : [],
    );
    expect(results).toEqual([expect.stringContaining('and said: we do not pay twice')]);
  });

  test('an approval counts at once, and the call runs in the next run', async () => {
    const { conversation, key } = await handingOver();
    expect(await conversation.approve(key, { by, verdictId: 'v' })).toMatchObject({
      via: 'update',
    });
    await inNextRun(conversation);
    await conversation.approve(key, { by, verdictId: 'v' });
    await closed(conversation);
    expect(paid).toEqual([5]);
  });

  test('other arguments wait for the next run, and then count', async () => {
    const { conversation, key } = await handingOver();
    const verdict = { decision: 'approve', key, by, input: { cents: 7 } };
    const { workflow } = served.client.temporal;
    const raw = workflow.getHandle(conversation.id).executeUpdate('decide', { args: [verdict] });
    await expect(raw).rejects.toMatchObject({
      cause: { type: 'PerdureRefusal', details: [{ code: 'handing_over' }] },
    });
    // Our client tries it again.
    const approving = conversation.approve(key, { by, input: { cents: 7 } });
    await inNextRun(conversation);
    expect(await approving).toMatchObject({ via: 'update', decision: 'approve' });
    await closed(conversation);
    expect(paid).toEqual([7]);
  });

  test('other arguments that nobody can ask for again count all the same', async () => {
    const { conversation, key } = await handingOver();
    const verdict = JSON.stringify({ key, by, input: { cents: 8 } });
    await rawSender(served.client.temporal).signal(conversation.id, 'approve', rawJson(verdict));
    await inNextRun(conversation);
    await closed(conversation);
    expect(paid).toEqual([8]);
  });

  test('a verdict behind other arguments is answered, whenever they come', async () => {
    const { conversation, keys } = await handingOver('pays_twice', 2);
    const sender = rawSender(served.client.temporal);
    const edit = (key: string | undefined, input: object) =>
      sender.signal(conversation.id, 'approve', rawJson(JSON.stringify({ key, by, input })));
    const memo = `large ${'x'.repeat(4_000)}`;
    blobs.holdBlobsWith(memo);
    await edit(keys[0], { cents: 7, memo });
    blobs.release();
    // The arguments that were taken are on their way to the store: the hand-over waits for them.
    await expect.poll(() => blobs.isHoldingBlob(), { timeout: 20_000 }).toBe(true);
    await edit(keys[1], { cents: 8 });
    const denial = { decision: 'deny', key: keys[1], by: { id: 'late' } };
    const { workflow } = served.client.temporal;
    const denying = workflow
      .getHandle(conversation.id)
      .executeUpdate('decide', { args: [denial] })
      .catch((error: unknown) => error);
    await expect.poll(() => acceptedVerdicts(conversation), { timeout: 20_000 }).toBe(1);
    blobs.releaseBlobs();
    expect(await denying).toMatchObject({
      cause: { type: 'PerdureRefusal', details: [{ code: 'already_decided' }] },
    });
    await closed(conversation);
    expect(paid).toEqual([7, 8]);
  });

  test('a close lets the next run finish its turn and end', async () => {
    const { conversation, key } = await handingOver();
    await conversation.close();
    await inNextRun(conversation);
    await conversation.approve(key, { by });
    expect(await conversation.result()).toMatchObject({ stopReason: 'closed' });
    expect(paid).toEqual([5]);
  });

  test('a cancel ends the conversation as cancelled, with its transcript', async () => {
    const { conversation } = await handingOver();
    await conversation.cancel();
    blobs.release();
    await expect(conversation.result()).rejects.toMatchObject({ end: 'cancelled' });
    expect((await said(conversation))[0]).toBe('start');
    const results = (await conversation.entries()).flatMap(({ entry }) =>
      entry.kind === 'result' ? [entry.outcome] : [],
    );
    expect(results).toEqual(['cancelled']);
    expect(await failedTasks(served.client.temporal, conversation.id)).toEqual([]);
  });
});
