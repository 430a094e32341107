import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fileBlobStore } from '../../src/blobs/file.ts';
import type { ConversationHandle } from '../../src/client/index.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { toolOutput } from '../../src/tools/tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const by = { id: 'ana', name: 'Ana' };

const remember = defineTool({
  name: 'remember',
  description: 'Keeps a word.',
  inputSchema: z.object({ word: z.string() }),
  effect: 'once',
  needsApproval: true,
  execute: ({ word }) =>
    toolOutput(`noted ${word}`, { stateUpdate: [{ op: 'add', path: '/words/-', value: word }] }),
});

const keeper = defineAgent({
  name: 'keeper',
  model: scripted(
    [
      ['Noting.', toolCall('remember', { word: 'one' }), toolCall('remembr', { word: 'two' })],
      'Noted.',
      toolCall('remember', { word: 'three' }),
      'Noted, too.',
    ],
    { price: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } },
  ),
  instructions: 'Keep words.',
  tools: [remember],
});

let isFull = false;
const blobs = fileBlobStore({ directory: await mkdtemp(join(tmpdir(), 'perdure-state-')) });

const served = serveAgents({
  agents: [keeper],
  blobs: {
    ...blobs,
    async put(conversationId, bytes) {
      const isSegment = Buffer.from(bytes.subarray(0, 12)).toString() === '{"previous":';
      if (isSegment && isFull) throw new Error('no space left on device');
      return blobs.put(conversationId, bytes);
    },
  },
  internals: { handOver: { bytes: 3_000_000, events: 60 } },
});

async function restsAfter(conversation: ConversationHandle, turn: number): Promise<void> {
  await expect
    .poll(async () => (await conversation.status()).lastTurn?.turn, { timeout: 30_000 })
    .toBe(turn);
}

/** A chat that has had one turn, with a call that ran and one that could not. */
async function chatWithPast(): Promise<ConversationHandle> {
  const conversation = await served.client.start('keeper', {
    mode: 'chat',
    state: { words: [] },
    context: { shelf: 7 },
    limits: { maxTokens: 100_000 },
    tenant: 'acme',
    by,
  });
  await conversation.send('keep "one"', { id: 'first', by });
  await expect.poll(() => conversation.approvals(), { timeout: 30_000 }).toHaveLength(1);
  const [request] = await conversation.approvals();
  await conversation.approve(request?.key ?? '', { by, remember: 'conversation' });
  await restsAfter(conversation, 1);
  return conversation;
}

/** The same message again and again fills the history, and changes nothing else. */
async function fillHistory(conversation: ConversationHandle): Promise<void> {
  const workflow = served.client.temporal.workflow.getHandle(conversation.id);
  const message = { content: 'keep "one"', id: 'first', by };
  for (let n = 0; n < 60; n++) await workflow.signal('message', message);
}

/** All that can be asked of a conversation, but for where it is recorded. */
async function remembered(conversation: ConversationHandle) {
  const { run: _, ...status } = await conversation.status();
  const { entries, calls } = await conversation.record();
  return {
    status,
    state: await conversation.state(),
    summary: await conversation.summary(),
    spec: await conversation.spec(),
    entries: entries.map(({ entry, digest }) => ({ entry, digest })),
    calls,
  };
}

describe('a conversation that goes on in a new run', () => {
  test('remembers all that it did: state, transcript, calls and their times, usage, rules, its beginning', async () => {
    const conversation = await chatWithPast();
    const { run } = await conversation.status();
    const before = await remembered(conversation);
    expect(before.state).toEqual({ state: { words: ['one'] }, version: 1 });
    expect(before.summary.calls).toEqual({ remember: { ok: 1 }, remembr: { unknown_tool: 1 } });
    expect(before.status).toMatchObject({ turn: 1, rules: [{ tool: 'remember' }] });
    expect(before.status.cost).toBeGreaterThan(0);
    await fillHistory(conversation);
    await expect.poll(async () => (await conversation.status()).run).not.toBe(run);
    expect(await remembered(conversation)).toEqual(before);

    await conversation.send('keep "three"', { id: 'second', by });
    await restsAfter(conversation, 2);
    const after = await remembered(conversation);
    expect(after.state).toEqual({ state: { words: ['one', 'three'] }, version: 2 });
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(after.calls.slice(0, before.calls.length)).toEqual(before.calls);
    expect(after.status.startedAt).toBe(before.status.startedAt);
    await conversation.close();
    await conversation.result();
  });

  test('waits in sight while no store takes its transcript, and loses nothing', async () => {
    isFull = true;
    const conversation = await chatWithPast();
    const { run } = await conversation.status();
    const before = await remembered(conversation);
    const filling = fillHistory(conversation);
    await expect
      .poll(() => conversation.status(), { timeout: 30_000, interval: 50 })
      .toMatchObject({
        status: 'waiting_worker',
        waitingFor: expect.stringContaining('no space left on device'),
      });
    await filling;
    isFull = false;
    await expect
      .poll(async () => (await conversation.status()).run, { timeout: 30_000 })
      .not.toBe(run);
    expect(await remembered(conversation)).toEqual(before);
    await conversation.close();
    expect(await conversation.result()).toMatchObject({ stopReason: 'closed' });
  });
});
