import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConversation } from '../../src/activities/transcript/read-conversation.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import { startBareWorker } from '../support/bare-worker.ts';
import { encryptingCodec } from '../support/encrypting-codec.ts';
import { clientWith, lookupAgent, type LookupRun, runLookups } from '../support/lookup-agent.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const STEPS = 24;
const agent = lookupAgent(STEPS, 200);
const finished = { stopReason: 'answered', text: `looked up ${STEPS}` };
const blobs = fileBlobStore({ directory: await mkdtemp(join(tmpdir(), 'perdure-transcript-')) });
const run = (workers: Parameters<typeof runLookups>[2]) => runLookups(agent, blobs, workers);

let client: Client;
beforeAll(async () => {
  client = await clientWith([]);
});

function report(what: string, { ms, hits, gaps, pages }: LookupRun): void {
  console.info(
    `${what}: ${(ms / STEPS).toFixed(1)} ms a step, ${hits} reads from memory, ${gaps} from history, ${pages} pages`,
  );
}

describe('each completion is shown the whole transcript', () => {
  test('on one worker, from its memory', async () => {
    const ran = await run([{}]);
    report('one worker', ran);
    expect(ran.result).toMatchObject(finished);
    expect(ran).toMatchObject({ hits: STEPS + 1, gaps: 0, pages: 0 });
  });

  test('on three workers that share the steps, from history', async () => {
    const worker = { eagerActivities: false };
    const ran = await run([worker, worker, worker]);
    report('three workers', ran);
    expect(ran.result).toMatchObject(finished);
    expect(ran.gaps).toBeGreaterThan(STEPS / 4);
  });

  test('when workflows and activities are different workers', async () => {
    const ran = await run([{ does: 'workflows' }, { does: 'activities' }, { does: 'activities' }]);
    report('separate workers', ran);
    expect(ran.result).toMatchObject(finished);
    expect(ran.gaps).toBeGreaterThan(0);
  });

  test('with nothing kept: no transcript in memory, no workflow in the cache', async () => {
    const ran = await run([{ maxBytes: 10, maxCachedWorkflows: 0 }]);
    report('nothing kept', ran);
    expect(ran.result).toMatchObject(finished);
    expect(ran.gaps).toBe(STEPS);
  });

  test('under a codec that encrypts', async () => {
    const codecs = [encryptingCodec(randomBytes(32))];
    const ran = await run([{ maxBytes: 10, payloadCodecs: codecs }]);
    report('encrypted', ran);
    expect(ran.result).toMatchObject(finished);
    const record = await readConversation({
      client: await clientWith(codecs),
      workflowId: ran.workflowId,
      blobs,
    });
    expect(record.entries).toHaveLength(2 * STEPS + 2);
    const { events } = await client.workflow.getHandle(ran.workflowId).fetchHistory();
    expect(Buffer.from(JSON.stringify(events)).includes('"value')).toBe(false);
  });

  test('over continue-as-new, also when nothing is kept', async () => {
    for (const maxBytes of [50_000_000, 10]) {
      const ran = await run([{ handOver: { bytes: 10_000_000, events: 60 }, maxBytes }]);
      report(`handed over, ${maxBytes} bytes of memory`, ran);
      expect(ran.result).toMatchObject(finished);
      const record = await readConversation({ client, workflowId: ran.workflowId, blobs });
      expect(record.runs.length).toBeGreaterThan(2);
      expect(record.entries).toHaveLength(2 * STEPS + 2);
    }
  });

  test('after the workflow was reset', async () => {
    const taskQueue = `transcript-${randomUUID()}`;
    const worker = await startBareWorker({ agents: [agent], taskQueue, blobs, maxBytes: 10 });
    try {
      const workflowId = `transcript-${randomUUID()}`;
      await client.workflow.execute(agent.name, {
        taskQueue,
        workflowId,
        args: [{ message: 'look them up' }],
      });
      const handle = client.workflow.getHandle(workflowId);
      const { events } = await handle.fetchHistory();
      const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
      const middle = tasks[Math.floor(tasks.length / 2)];
      const { runId } = await handle.describe();
      const reset = await client.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId, runId },
        workflowTaskFinishEventId: middle?.eventId ?? null,
        requestId: randomUUID(),
        reason: 'to do the second half again',
      });
      const again = client.workflow.getHandle(workflowId, reset.runId);
      expect(await again.result()).toMatchObject(finished);
      const record = await readConversation({ client, workflowId, blobs });
      expect(record.run).toBe(reset.runId);
      expect(record.entries).toHaveLength(2 * STEPS + 2);
    } finally {
      await worker.stop();
    }
  });
});
