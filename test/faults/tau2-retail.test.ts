import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ConversationHandle, PerdureClient, textOf } from '../../src/client/index.ts';
import { openHoldDesk } from '../../src/testing/crash/hold-desk.ts';
import { judge, type KillTime } from '../../src/testing/crash/judge.ts';
import type { Reached } from '../../src/testing/crash/messages.ts';
import { seededRandom } from '../../src/testing/crash/seeded-random.ts';
import { Trace } from '../../src/testing/crash/trace.ts';
import { openWorkerLine, type WorkerLine } from '../../src/testing/crash/worker-line.ts';
import { compiledUrl } from '../support/compile-tree.ts';
import { CRASH_WORKER } from './quick-crash-test.ts';
import { killPlaces } from './retail/kill-places.ts';
import type { RetailTask } from './retail/retail.fixture.ts';
import { type RetailStore, startRetailStore } from './retail/retail-store.ts';

/** Beside the checkout; the data belongs to a public benchmark and is not part of this project. */
const data = fileURLToPath(new URL('../../../shared/data/tau2-retail', import.meta.url));
const isThere = existsSync(join(data, 'tasks.json'));
if (!isThere) console.warn(`skipped: the data of the retail tasks is not at ${data}`);

const fixture = new URL('retail/retail.fixture.ts', import.meta.url);
const SEED = 114;
const PATIENCE_MS = 120_000;

interface Expected {
  readonly changed: Record<string, unknown>;
  /** `ok`, or `error: ` and the error's words. */
  readonly outcomes: readonly string[];
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(join(data, file), 'utf8')) as T;
}

/** Every optional field that is null is as good as not there. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part: unknown) => part ?? undefined));
}

describe.skipIf(!isThere)('the retail tasks, each killed at points of its own', () => {
  const traces = new Map<string, Trace>();
  const conversations = new Map<string, ConversationHandle>();
  const kills: KillTime[] = [];
  const killed = new Set<string>();
  let tasks: readonly RetailTask[] = [];
  let expected: Readonly<Record<string, Expected>> = {};
  let store: RetailStore;
  let client: PerdureClient;
  let line: WorkerLine;
  let dataDirectory = '';

  beforeAll(async () => {
    tasks = await readJson('tasks.json');
    expected = await readJson('expected.json');
    store = await startRetailStore(await readJson('db.json'));
    dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-retail-'));
    const address = inject('temporalAddress');
    client = await PerdureClient.connect({ address, taskQueue: `retail-${randomUUID()}` });
    const desk = openHoldDesk();
    const compiledPath = inject('compiledPath');
    line = openWorkerLine({
      compiledEntry: compiledUrl(CRASH_WORKER, compiledPath),
      arguments: {
        config: compiledUrl(fixture, compiledPath).href,
        options: { url: store.url, tasks: join(data, 'tasks.json') },
      },
      serve: {
        kind: 'serve',
        address,
        namespace: 'default',
        taskQueue: client.taskQueue,
        dataDirectory,
        workflowBundlePath: inject('workflowBundlePath'),
        heartbeatTimeoutMs: 30_000,
        handOverEvents: undefined,
      },
      onReached(reached, go) {
        traces.get(reached.conversation)?.add(reached, Date.now());
        desk.take(reached, go);
      },
    });
    const random = seededRandom(SEED);
    const places = new Map(
      tasks.map(({ id }) => [
        `retail-${id}-${client.taskQueue}`,
        killPlaces(expected[id]?.outcomes ?? [], random),
      ]),
    );
    for (const { id, reason_for_call: reason } of tasks) {
      const conversationId = `retail-${id}-${client.taskQueue}`;
      traces.set(conversationId, new Trace());
      const start = { id: conversationId, message: `${id}: ${reason}` };
      conversations.set(id, await client.start('retail-desk', start));
    }
    for (const round of [0, 1]) {
      const fits = ({ conversation, activity, point }: Reached) => {
        const place = places.get(conversation)?.[round];
        return place?.activity === activity.replace(/#\d+$/, '') && place.point === point;
      };
      await line.serveNext();
      line.prepareNext();
      const wanted = [...places.values()].filter((of) => of[round] !== undefined).length;
      const held = await desk.hold(fits, {
        conversations: wanted,
        patienceMs: PATIENCE_MS,
        gatherMs: PATIENCE_MS,
      });
      for (const { conversation } of held) killed.add(conversation);
      const fromMs = Date.now();
      await line.kill();
      kills.push({ fromMs, toMs: Date.now() });
      desk.forget();
    }
    await line.serveNext();
    await Promise.all([...conversations.values()].map((conversation) => conversation.result()));
  }, 600_000);

  afterAll(async () => {
    await line?.close();
    await client?.close();
    await store?.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  test('each was killed in the middle', () => {
    expect(killed.size).toBe(tasks.length);
  });

  test('each changed exactly the records that it should have', () => {
    for (const [id, { id: conversation }] of conversations) {
      const changed = withoutNulls(store.changed(conversation));
      expect({ id, changed }).toEqual({ id, changed: withoutNulls(expected[id]?.changed) });
    }
  });

  test('each write was executed once, and every call has its one honest result', async () => {
    for (const [id, conversation] of conversations) {
      const record = await conversation.record();
      const effects = store.writes(conversation.id);
      const seen = traces.get(conversation.id)?.seen ?? [];
      expect(judge({ record, hasEnded: true, seen, kills, said: [], effects }).problems).toEqual(
        [],
      );
      const outcomes = record.calls.map(({ result }) =>
        result?.outcome === 'tool_error' ? `error: ${errorWords(result.content)}` : result?.outcome,
      );
      expect({ id, outcomes }).toEqual({ id, outcomes: expected[id]?.outcomes });
      const writes = record.calls.filter(
        ({ planned, result }) => planned.effect === 'once' && result?.outcome === 'ok',
      );
      expect([...effects]).toEqual(writes.map(({ planned }) => [planned.key, 1]));
    }
  }, 120_000);
});

/** The tool's own words in the text that the model reads. */
function errorWords(content: unknown): string {
  const lines = (typeof content === 'string' ? content : textOf(content as never)).split('\n');
  return lines[1] ?? '';
}
