import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Connection } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { chainDigest } from '../../src/activities/transcript/digest.ts';
import { createTranscriptReader } from '../../src/activities/transcript/create-transcript-reader.ts';
import { readConversation } from '../../src/activities/transcript/read-conversation.ts';
import { fileBlobStore } from '../../src/blobs/file.ts';
import type { ConversationResult } from '../../src/core/status.ts';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { type BareWorkerOptions, startBareWorker } from '../support/bare-worker.ts';
import { encryptingCodec } from '../support/encrypting-codec.ts';
import { temporalClient } from '../support/temporal-client.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const STEPS = 24;

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks a number up.',
  inputSchema: z.object({ n: z.number(), characters: z.number() }),
  effect: 'read',
  execute: ({ n, characters }) => `value ${n} ${'x'.repeat(characters)}`,
});

/** Looks numbers up one by one, and refuses to go on when it is not shown all of what came before. */
function reading(name: string, steps: number, characters: number) {
  return defineAgent({
    name,
    model: scripted((request, turn) => {
      expectResults(request, turn);
      return turn < steps ? toolCall('lookup', { n: turn, characters }) : `looked up ${turn}`;
    }),
    instructions: 'Look numbers up.',
    tools: [lookup],
    limits: { maxSteps: steps + 1 },
  });
}

function expectResults({ messages }: ModelRequest, count: number): void {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const texts = results.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''));
  const numbers = texts.map((text) => Number(/^value (\d+) x*$/.exec(text)?.[1]));
  expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n));
}

const agents = [reading('reader', STEPS, 200), reading('longReader', 300, 5_000)];
const blobs = fileBlobStore({ directory: await mkdtemp(join(tmpdir(), 'perdure-transcript-')) });

let client: Client;
beforeAll(async () => {
  client = await temporalClient();
});

type Setting = Partial<Omit<BareWorkerOptions, 'agents' | 'taskQueue' | 'blobs'>>;

interface Ran {
  readonly workflowId: string;
  readonly result: ConversationResult;
  readonly ms: number;
  readonly hits: number;
  readonly gaps: number;
  readonly pages: number;
}

/** Runs one conversation on these workers to its end, and stops them. */
async function run(
  workers: readonly Setting[],
  agent = 'reader',
  codecs: readonly PayloadCodec[] = [],
): Promise<Ran> {
  const taskQueue = `transcript-${randomUUID()}`;
  const started = await Promise.all(
    workers.map((worker) =>
      startBareWorker({ ...worker, agents, taskQueue, blobs, payloadCodecs: codecs }),
    ),
  );
  try {
    const workflowId = `transcript-${randomUUID()}`;
    const speaking = speaker(codecs);
    const startedAt = performance.now();
    const result = (await speaking.workflow.execute(agent, {
      taskQueue,
      workflowId,
      args: [{ message: 'look them up' }],
    })) as ConversationResult;
    const ms = performance.now() - startedAt;
    const sum = (of: 'hits' | 'gaps' | 'historyPages') =>
      started.reduce((total, { transcripts }) => total + transcripts.statistics[of], 0);
    return {
      workflowId,
      result,
      ms,
      hits: sum('hits'),
      gaps: sum('gaps'),
      pages: sum('historyPages'),
    };
  } finally {
    await Promise.all(started.map((worker) => worker.stop()));
  }
}

function speaker(codecs: readonly PayloadCodec[]): Client {
  return new Client({
    connection: client.connection as Connection,
    dataConverter: { payloadCodecs: [...codecs] },
  });
}

function report(what: string, { ms, hits, gaps, pages }: Ran, steps = STEPS): void {
  console.info(
    `${what}: ${(ms / steps).toFixed(1)} ms a step, ${hits} reads from memory, ${gaps} from history, ${pages} pages`,
  );
}

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

const finished = { stopReason: 'answered', text: `looked up ${STEPS}` };

describe('each completion is shown the whole transcript', () => {
  test('on one worker, from its memory', async () => {
    const ran = await run([{}]);
    report('one worker', ran);
    expect(ran.result).toMatchObject(finished);
    expect(ran).toMatchObject({ hits: STEPS + 1, gaps: 0, pages: 0 });
  });

  test('on three workers that share the steps, from history', async () => {
    const worker: Setting = { eagerActivities: false };
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
    const ran = await run([{ maxBytes: 10 }], 'reader', codecs);
    report('encrypted', ran);
    expect(ran.result).toMatchObject(finished);
    const record = await readConversation({
      client: speaker(codecs),
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
    const worker = await startBareWorker({ agents, taskQueue, blobs, maxBytes: 10 });
    try {
      const workflowId = `transcript-${randomUUID()}`;
      await client.workflow.execute('reader', {
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

describe('a conversation of 300 pairs of 5 KB, every worker down', () => {
  let ran: Ran;
  beforeAll(async () => {
    ran = await run([{}], 'longReader');
    report('300 pairs', ran, 300);
  });

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
      agent: 'longReader',
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
