import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { type ConversationHandle, isBlobReference, PerdureClient } from '../../src/client/index.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const LONG = 'long '.repeat(10_000);
/** What the model was told in its last request, by conversation. */
const told = new Map<string, string>();
let wrote = 0;

const fetch = defineTool({
  name: 'fetch',
  description: 'Fetches.',
  inputSchema: z.object({}),
  effect: 'read',
  maxResultChars: 1_000_000,
  execute: () => LONG,
});
const write = defineTool({
  name: 'write',
  description: 'Writes.',
  inputSchema: z.object({ text: z.string() }),
  effect: 'once',
  needsApproval: true,
  execute: () => {
    wrote += 1;
    return 'written';
  },
});

/** Does what the newest message says. */
const model = scripted((request: ModelRequest) => {
  told.set(request.conversationId, JSON.stringify(request.messages));
  const last = request.messages.at(-1);
  const said = last?.role === 'user' ? JSON.stringify(last.content) : '';
  if (said.includes('fetch!')) return toolCall('fetch', {});
  if (said.includes('write!')) return toolCall('write', { text: LONG });
  return said.includes('tell!') ? LONG : 'done';
});

const agents = [
  defineAgent({ name: 'brief', model, instructions: 'Do.', tools: [fetch, write] }),
  defineAgent({ name: 'forgetful', model, instructions: 'Do.' }),
  defineAgent({ name: 'wordy', model, instructions: LONG, tools: [fetch, write] }),
];

const directory = await mkdtemp(join(tmpdir(), 'perdure-missing-'));
const blobs = fileBlobStore({ directory });
const namespace = 'default';
const served = serveAgents({
  agents,
  blobs,
  worker: { transcriptCacheBytes: 0 },
  internals: { handOver: { bytes: 3_000_000, events: 60 } },
});
let client: PerdureClient;
beforeAll(async () => {
  const address = inject('temporalAddress');
  client = await PerdureClient.connect({ address, taskQueue: served.taskQueue, blobs });
});
afterAll(async () => {
  await client.close();
  await rm(directory, { recursive: true, force: true });
});

const SOON = { timeout: 30_000, interval: 20 };

async function turnEnded(conversation: ConversationHandle, turn: number) {
  await expect.poll(async () => (await conversation.status()).lastTurn?.turn, SOON).toBe(turn);
  return (await conversation.status()).lastTurn;
}

async function afterOneTurn(message: string, agent = 'brief'): Promise<ConversationHandle> {
  const conversation = await client.start(agent, { mode: 'chat', message });
  await turnEnded(conversation, 1);
  return conversation;
}

/** Removes the blob of the one large value that the conversation's record has of this kind. */
async function lose(conversation: ConversationHandle, kind: string): Promise<string> {
  const { entries } = await conversation.record();
  const stored = entries
    .filter(({ entry }) => entry.kind === kind)
    .map(({ entry }) =>
      entry.kind === 'assistant' ? entry.raw : 'content' in entry && entry.content,
    )
    .find(isBlobReference);
  await remove(conversation, stored?.blob ?? 'none');
  return stored?.blob ?? 'none';
}

function remove(conversation: ConversationHandle, blob: string): Promise<void> {
  return rm(join(directory, conversation.id, blob));
}

test.each([
  ['result', 'fetch!'],
  ['assistant', 'tell!'],
  ['user', LONG],
])('whose %s is gone goes on; the model is told which blob it was', async (kind, message) => {
  const conversation = await afterOneTurn(message);
  const blob = await lose(conversation, kind);
  await conversation.send('and now?');
  expect(await turnEnded(conversation, 2)).toMatchObject({ stopReason: 'answered', text: 'done' });
  expect(told.get(conversation.id)).toContain(blob);
  expect((await conversation.record()).hasFirstEntry).toBe(true);
});

test('whose arguments are gone settles the call, which names the blob and does not run', async () => {
  const conversation = await client.start('brief', { mode: 'chat', message: 'write!' });
  await expect.poll(async () => (await conversation.approvals()).length, SOON).toBe(1);
  const [request] = await conversation.approvals();
  const input = request?.input;
  if (!isBlobReference(input)) throw new Error('expected large arguments');
  await remove(conversation, input.blob);
  await conversation.approve(request?.key ?? '', { by: { id: 'ana' } });
  expect(await turnEnded(conversation, 1)).toMatchObject({ stopReason: 'answered' });
  const [call] = (await conversation.record()).calls;
  expect(call?.result).toMatchObject({ outcome: 'tool_failed', effect: 'none' });
  expect(JSON.stringify(call?.result?.content)).toContain(input.blob);
  expect(wrote).toBe(0);
  await conversation.send('and now?');
  expect(await turnEnded(conversation, 2)).toMatchObject({ stopReason: 'answered' });
});

test('whose spec is gone ends its turns with a reason that names the blob, until it is there again', async () => {
  const conversation = await afterOneTurn('hello', 'wordy');
  const { digest } = (await conversation.spec()) ?? {};
  const history = await client.temporal.workflow.getHandle(conversation.id).fetchHistory();
  const spec = history.events?.find((event) => event.activityTaskCompletedEventAttributes);
  const recorded = JSON.parse(
    Buffer.from(
      spec?.activityTaskCompletedEventAttributes?.result?.payloads?.[0]?.data ?? [],
    ).toString(),
  );
  expect(recorded.digest).toBe(digest);
  const { blob } = recorded.spec;
  const bytes = await readFile(join(directory, conversation.id, blob));
  await remove(conversation, blob);
  await conversation.send('and now?');
  expect(await turnEnded(conversation, 2)).toMatchObject({ stopReason: 'model_rejected' });
  await blobs.put(conversation.id, bytes);
  await conversation.send('and now?');
  expect(await turnEnded(conversation, 3)).toMatchObject({ stopReason: 'answered' });
  const notes = (await conversation.entries()).map(({ header }) => header.preview).join('\n');
  expect(notes).toContain(blob);
});

test('whose earlier entries are gone at the server and in the store says so at each turn, and ends as it is told', async () => {
  const conversation = await afterOneTurn('hello', 'forgetful');
  const { runId } = await conversation.describe();
  let turn = 1;
  const sayMore = async () => {
    await conversation.send('more');
    turn += 1;
    return turnEnded(conversation, turn);
  };
  while ((await conversation.describe()).runId === runId) await sayMore();
  const { temporal } = client;
  const workflowExecution = { workflowId: conversation.id, runId };
  await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  await expect
    .poll(
      () => temporal.workflow.getHandle(conversation.id, runId).fetchHistory().catch(String),
      SOON,
    )
    .toMatch(/not found/i);
  await rm(join(directory, conversation.id), { recursive: true });
  const { runId: second } = await conversation.describe();
  // More than enough for the next hand-over, which finds nothing to hand over.
  for (let more = 0; more < 8; more++) {
    expect(await sayMore()).toMatchObject({ stopReason: 'model_rejected' });
  }
  expect(await conversation.describe()).toMatchObject({ runId: second, life: 'running' });
  await conversation.close();
  expect(await conversation.result()).toMatchObject({ stopReason: 'closed', turns: turn });
  const notes = (await conversation.record()).entries.flatMap(({ entry }) =>
    entry.kind === 'note' ? [entry.code] : [],
  );
  expect(notes).toContain('hand_over_failed');
});
