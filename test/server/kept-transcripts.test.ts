import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { BlobMissing, type BlobStore } from '../../src/blobs/blob-store.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import {
  type CompletedConversation,
  type ConversationHandle,
  type ConversationRecord,
  PerdureClient,
} from '../../src/client/index.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { fileEventSink } from '../../src/streams/file.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';

const STEPS = 6;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'read',
  maxResultChars: 1_000_000,
  execute: ({ n }) => `seen ${n} ${'x'.repeat(n === 3 ? 100_000 : 100)}`,
});

const agents = [
  defineAgent({
    name: 'looker',
    model: scripted((_request, turn) =>
      turn < STEPS ? toolCall('look', { n: turn }) : 'y'.repeat(80_000),
    ),
    instructions: 'Look.',
    tools: [look],
  }),
  defineAgent({ name: 'brief', model: scripted(['Done.']), instructions: 'Answer.' }),
  defineAgent({
    name: 'failing',
    model: scripted([{ fail: new ModelFailure('auth', 'the key is not valid') }]),
    instructions: 'Fail.',
  }),
];

const directory = await mkdtemp(join(tmpdir(), 'perdure-kept-'));
const blobs = fileBlobStore({ directory: join(directory, 'blobs') });
const events = fileEventSink({ directory: join(directory, 'events') });
/** Of one conversation it loses a part, to another it is away for a while. */
let away = 2;
const faulty: BlobStore = {
  ...blobs,
  setManifest: async (id, sha256) => {
    if (id === 'in-part') throw new BlobMissing(id, sha256, 'absent');
    if (id === 'late' && away-- > 0) throw new Error('the store is away');
    return blobs.setManifest(id, sha256);
  },
};
const served = serveAgents({
  agents,
  blobs: faulty,
  events,
  keepTranscripts: true,
  internals: { handOver: { bytes: 3_000_000, events: 40 } },
});

/** A client with the stores of the workers. */
let client: PerdureClient;

beforeAll(async () => {
  const address = inject('temporalAddress');
  client = await PerdureClient.connect({ address, taskQueue: served.taskQueue, blobs, events });
});

afterAll(async () => {
  await client.close();
  await events.close();
  await rm(directory, { recursive: true, force: true });
});

/** What the server does when a conversation's retention time is over. */
async function letGo({ id }: ConversationHandle): Promise<void> {
  const { runs } = await client.handle(id).record();
  for (const runId of runs) await deleteRun(id, runId);
  await gone(id);
}

async function deleteRun(workflowId: string, runId: string): Promise<void> {
  const workflowExecution = { workflowId, runId };
  await client.temporal.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution,
  });
}

async function gone(id: string): Promise<void> {
  const missing = { name: 'ConversationNotFound' };
  await vi.waitFor(() => expect(client.handle(id).describe()).rejects.toMatchObject(missing), {
    timeout: 60_000,
  });
}

async function listed(): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const id of blobs.conversations()) ids.push(id);
  return ids;
}

async function lookAround(): Promise<ConversationHandle> {
  const conversation = await client.start('looker', { message: 'look around' });
  await conversation.result();
  return conversation;
}

describe('a conversation that the server has let go', () => {
  let completed: ConversationHandle;
  let before: ConversationRecord;
  let result: CompletedConversation;
  let failed: ConversationHandle;
  let cancelled: ConversationHandle;
  beforeAll(async () => {
    completed = await lookAround();
    result = await completed.result();
    before = await completed.record();
    failed = await client.start('failing', { message: 'go' });
    await expect(failed.result()).rejects.toMatchObject({ type: 'ModelRejected' });
    cancelled = await client.start('looker', { mode: 'chat' });
    await vi.waitFor(async () => expect(await cancelled.status()).toMatchObject({ turn: 0 }));
    await cancelled.cancel();
    await expect(cancelled.result()).rejects.toMatchObject({ end: 'cancelled' });
    await Promise.all([completed, failed, cancelled].map(letGo));
  }, 60_000);

  test('is read from what was kept: its transcript, its calls, its result, over all its runs', async () => {
    expect(before.runs.length).toBeGreaterThan(1);
    const kept = await completed.record();
    expect(kept.entries).toEqual(before.entries);
    expect(kept.entries.at(-1)?.text).toMatchObject({ preview: expect.stringMatching(/^.?yyy/) });
    expect(kept.calls).toEqual(before.calls);
    expect(kept).toMatchObject({
      agent: 'looker',
      status: 'COMPLETED',
      startedAt: before.startedAt,
      hasFirstRun: true,
      hasFirstEntry: true,
    });
    expect(await completed.result()).toEqual(result);
    expect(result.text).toHaveLength(80_000);
    const large = kept.entries.find(({ header }) => header.key?.includes('/1.4.'))?.entry;
    const content = large?.kind === 'result' ? await completed.load(large.content) : '';
    expect(content).toContain('seen 3 x');
  });

  test('says how it failed, and that it was cancelled', async () => {
    await expect(failed.result()).rejects.toMatchObject({
      name: 'ConversationFailed',
      type: 'ModelRejected',
      stopReason: 'model_rejected',
    });
    await expect(cancelled.result()).rejects.toMatchObject({ end: 'cancelled' });
    expect((await failed.entries())[0]?.entry).toMatchObject({ kind: 'user', content: 'go' });
  });

  test('is not there for a client without the blob store', async () => {
    const without = served.client.handle(completed.id);
    await expect(without.record()).rejects.toMatchObject({ name: 'ConversationNotFound' });
    await expect(without.result()).rejects.toMatchObject({ name: 'ConversationNotFound' });
  });

  test('is deleted like any other', async () => {
    expect(await completed.delete()).toMatchObject({ runs: 0, events: true });
    expect(await listed()).not.toContain(completed.id);
    await expect(completed.record()).rejects.toMatchObject({ name: 'ConversationNotFound' });
  });
});

test.each([
  ['that cannot be kept ends all the same', 'in-part', 0],
  ['whose store is away ends when it is back', 'late', 1],
])('a conversation %s', async (_, id, manifests) => {
  const conversation = await client.start('brief', { message: 'answer', id });
  expect(await conversation.result()).toMatchObject({ status: 'completed' });
  expect([await blobs.manifest(id)].filter((sha256) => sha256 !== undefined)).toHaveLength(
    manifests,
  );
});

describe('a conversation that is deleted', () => {
  let conversation: ConversationHandle;
  beforeAll(async () => {
    conversation = await lookAround();
  });

  test('is refused where its blobs are in another store', async () => {
    const elsewhere = fileBlobStore({ directory: join(directory, 'elsewhere') });
    const other = new PerdureClient({ client: client.temporal, blobs: elsewhere });
    await expect(other.handle(conversation.id).delete()).rejects.toMatchObject({
      name: 'ForeignBlobStore',
    });
    expect((await conversation.record()).hasFirstEntry).toBe(true);
  });

  test('is gone, whatever was kept of it; deleting it again is harmless', async () => {
    const { runs } = await conversation.record();
    expect(runs.length).toBeGreaterThan(1);
    const { blobs: removed, ...rest } = await conversation.delete();
    expect(rest).toEqual({ runs: runs.length, events: true });
    expect(removed).toBeGreaterThan(3);
    await gone(conversation.id);
    await expect(conversation.record()).rejects.toMatchObject({ name: 'ConversationNotFound' });
    expect(await blobs.manifest(conversation.id)).toBeUndefined();
    expect(await listed()).not.toContain(conversation.id);
    expect(await readdir(join(directory, 'events'))).not.toContain(conversation.id);
    // The server forgets each run of its own accord, the newest not last.
    const nothing = { runs: 0, blobs: 0, events: true };
    await vi.waitFor(async () => expect(await conversation.delete()).toEqual(nothing), {
      timeout: 60_000,
    });
  });

  test('by half is finished by the next deletion', async () => {
    const half = await lookAround();
    const { runs } = await half.record();
    // A deletion that died after the newest run.
    await deleteRun(half.id, runs.at(-1) ?? '');
    await gone(half.id);
    const rest = await half.delete();
    expect(rest.runs).toBe(runs.length - 1);
    expect(await listed()).not.toContain(half.id);
  });

  test('is refused while it runs, unless by force', async () => {
    const chat = await client.start('looker', { mode: 'chat' });
    await expect(chat.delete()).rejects.toMatchObject({ name: 'ConversationRunning' });
    expect(await chat.describe()).toMatchObject({ life: 'running' });
    expect(await chat.delete({ force: true })).toMatchObject({ runs: 1 });
    await gone(chat.id);
  });
});
