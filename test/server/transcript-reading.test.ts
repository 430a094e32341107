import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createTranscriptReader } from '../../src/activities/transcript/create-transcript-reader.ts';
import { chainDigest } from '../../src/activities/transcript/digest.ts';
import { readConversation } from '../../src/activities/transcript/read-conversation.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { clientWith, lookupAgent, type LookupRun, runLookups } from '../support/lookup-agent.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const blobs = fileBlobStore({ directory: await mkdtemp(join(tmpdir(), 'perdure-transcript-')) });

let client: Client;
beforeAll(async () => {
  client = await clientWith([]);
});

/** A reader that has nothing, as in a process that just began. */
function freshReader(history = client.connection) {
  return createTranscriptReader({
    history,
    payloadCodecs: [],
    blobs,
    maxBytes: 50_000_000,
    log: { debug: () => undefined, warn: () => undefined },
  });
}

describe('a conversation of 300 pairs of 5 KB, every worker down', () => {
  let ran: LookupRun;
  beforeAll(async () => {
    ran = await runLookups(lookupAgent(300, 5_000), blobs, [{}]);
    console.info(`300 pairs: ${(ran.ms / 300).toFixed(1)} ms a step`);
  }, 240_000);

  test('is read by a worker that has nothing, and then only its newest step', async () => {
    const { runId } = await client.workflow.getHandle(ran.workflowId).describe();
    const location = { namespace: 'default', workflowId: ran.workflowId, runId };
    const whole = await readConversation({ client, workflowId: ran.workflowId });
    const end = whole.entries.length;
    const digests = whole.entries.map(({ digest }) => digest);
    const at = (count: number) => ({
      position: {
        run: runId,
        count,
        digest: digests.slice(0, count).reduce<string | null>(chainDigest, null),
      },
      items: [],
    });
    const reader = freshReader();
    const before = performance.now();
    await reader.read(location, at(end - 2));
    const wholeMs = performance.now() - before;
    const pages = reader.statistics.historyPages;
    const then = performance.now();
    const { entries } = await reader.read(location, at(end));
    const stepMs = performance.now() - then;
    console.info(
      `read ${end} entries in ${wholeMs.toFixed(0)} ms (${pages} pages), the newest step in ${stepMs.toFixed(0)} ms`,
    );
    expect(entries).toEqual(whole.entries.map(({ entry }) => entry));
    expect(reader.statistics).toMatchObject({ gaps: 2, historyPages: pages + 1 });
  });

  test('is read for people, with every call and how it went', async () => {
    const before = performance.now();
    const record = await readConversation({ client, workflowId: ran.workflowId });
    console.info(`read for people in ${(performance.now() - before).toFixed(0)} ms`);
    expect(record).toMatchObject({
      agent: 'lookups',
      status: 'COMPLETED',
      hasFirstRun: true,
      hasFirstEntry: true,
    });
    expect(record.entries).toHaveLength(602);
    expect(record.calls).toHaveLength(300);
    for (const { result, attempts } of record.calls) {
      expect(result).toMatchObject({ outcome: 'ok', inTranscript: true });
      expect(attempts).toMatchObject([{ kind: 'tool', state: 'completed' }]);
    }
  });

  test('that the server does not know is an error that says so, over either kind of connection', async () => {
    const reading = readConversation({ client, workflowId: 'never-started' });
    await expect(reading).rejects.toMatchObject({ name: 'WorkflowNotFoundError' });
    const location = { namespace: 'default', workflowId: 'never-started', runId: randomUUID() };
    const position = { run: location.runId, count: 1, digest: 'a'.repeat(64) };
    const native = await NativeConnection.connect({ address: inject('temporalAddress') });
    for (const connection of [client.connection, native]) {
      const reader = freshReader(connection);
      await expect(reader.read(location, { position, items: [] })).rejects.toMatchObject({
        name: 'TranscriptMismatch',
        found: 'history has no completed model turn',
      });
    }
    await native.close();
  });
});
