import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { OpenAttemptLedger } from '../../src/activities/ledger/no-ledger.ts';
import { openAttemptLedger } from '../../src/activities/ledger/open-attempt-ledger.ts';
import { startSweeping } from '../../src/activities/ledger/start-sweeping.ts';
import { sweepLostAttempts } from '../../src/activities/ledger/sweep-lost-attempts.ts';
import { type Child, startChild } from '../activities/ledger/fixtures/child-process.ts';
import type {
  FixtureActivities,
  WorkerProcessOptions,
} from '../activities/ledger/fixtures/worker-process.ts';
import type { attempts, Outcome } from '../activities/ledger/fixtures/workflows.ts';

const NOTHING = { workers: 0, reported: 0, settledBefore: 0, unproved: 0, kept: 0 };
const log = { info: () => {}, warn: () => {} };

let scratch: string;
let codePath: string;
let client: Client;
let directory: string;
let taskQueue: string;
let ledgers: OpenAttemptLedger[];
let workers: Child[];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'ledger-server-'));
  codePath = join(scratch, 'workflows.js');
  const workflowsPath = new URL('../activities/ledger/fixtures/workflows.ts', import.meta.url);
  const { code } = await bundleWorkflowCode({
    workflowsPath: workflowsPath.pathname,
    logger: { trace: log.info, debug: log.info, log: log.info, error: log.info, ...log },
  });
  await writeFile(codePath, code);
  client = new Client({
    connection: await Connection.connect({ address: inject('temporalAddress') }),
  });
});

afterAll(async () => {
  await client.connection.close();
  await rm(scratch, { recursive: true, force: true });
});

beforeEach(async () => {
  directory = await mkdtemp(join(scratch, 'attempts-'));
  taskQueue = `ledger-${randomUUID()}`;
  ledgers = [];
  workers = [];
});

afterEach(async () => {
  for (const worker of workers) await worker.kill();
  for (const ledger of ledgers) await ledger.close();
});

async function startWorker(): Promise<Child> {
  const options: WorkerProcessOptions = {
    address: inject('temporalAddress'),
    taskQueue,
    directory,
    codePath,
  };
  const worker = startChild('worker-process.ts', options);
  workers.push(worker);
  await worker.saying('ready');
  return worker;
}

const startAttempts = (activity: keyof FixtureActivities) =>
  client.workflow.start<typeof attempts>('attempts', {
    taskQueue,
    workflowId: `ledger-${randomUUID()}`,
    args: [activity],
  });

async function openSweeper(): Promise<OpenAttemptLedger> {
  const ledger = await openAttemptLedger({ directory, identity: 'sweeper', log });
  ledgers.push(ledger);
  return ledger;
}

async function sweep(with_: Client = client) {
  const ownId = (ledgers[0] ?? (await openSweeper())).id;
  return sweepLostAttempts({ directory, client: with_, log, ownId });
}

const filesOfDeadWorkers = async () =>
  (await readdir(directory)).filter((name) =>
    ledgers.every(({ id }) => !name.startsWith(`${id}.`)),
  );

test('a killed worker’s attempt is failed as lost, and another worker runs the next one', async () => {
  const first = await startWorker();
  const handle = await startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  const second = await startWorker();
  const expected: Outcome = { lost: 'WorkerLost', result: `finished by ${second.pid}` };
  expect(await handle.result()).toEqual(expected);
  expect(await sweep()).toEqual(NOTHING);
});

test('of two workers that share a directory, one being killed costs the other nothing', async () => {
  const first = await startWorker();
  const lost = await startAttempts('hold');
  await first.saying('begun');
  const queueOfFirst = taskQueue;
  taskQueue = `ledger-${randomUUID()}`;
  const second = await startWorker();
  const kept = await startAttempts('hold');
  await second.saying('begun');
  await first.kill();
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  second.tell('release');
  expect(await kept.result()).toEqual({ lost: null, result: `held by ${second.pid}` });
  taskQueue = queueOfFirst;
  await startWorker();
  expect((await lost.result()).lost).toBe('WorkerLost');
});

test('a stopped worker is not declared dead, and its attempt ends as its own when it goes on', async () => {
  const worker = await startWorker();
  const handle = await startAttempts('hold');
  await worker.saying('begun');
  worker.signal('SIGSTOP');
  expect(await sweep()).toEqual(NOTHING);
  worker.signal('SIGCONT');
  worker.tell('release');
  expect(await handle.result()).toEqual({ lost: null, result: `held by ${worker.pid}` });
});

test('two sweeps at once report an attempt once', async () => {
  const first = await startWorker();
  const handle = await startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  const sweepers = [await openSweeper(), await openSweeper(), await openSweeper()];
  const reports = await Promise.all(
    sweepers.map(({ id }) => sweepLostAttempts({ directory, client, log, ownId: id })),
  );
  expect(reports.map(({ reported }) => reported).sort()).toEqual([0, 0, 1]);
  expect(reports.map(({ settledBefore }) => settledBefore)).toEqual([0, 0, 0]);
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('an attempt that the server has as completed stays completed when its worker dies then', async () => {
  const worker = await startWorker();
  const handle = await startAttempts('finish');
  const result = await handle.result();
  await worker.kill();
  expect((await sweep()).reported).toBe(0);
  expect(result).toEqual({ lost: null, result: `finished by ${worker.pid}` });
});

test('an attempt whose worker dies between its return and its report is found', async () => {
  await startWorker();
  const handle = await startAttempts('dieBeforeReport');
  await expect
    .poll(() => sweep(), { timeout: 30_000 })
    .toEqual({
      ...NOTHING,
      workers: 1,
      reported: 1,
    });
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('an attempt that was handed out is not lost with the worker that handed it out', async () => {
  const first = await startWorker();
  const handle = await startAttempts('handOut');
  const token = Buffer.from(String(await first.saying('token')), 'base64');
  await first.kill();
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1 });
  await client.workflowService.resetStickyTaskQueue({
    namespace: 'default',
    execution: { workflowId: handle.workflowId },
  });
  await startWorker();
  await client.activity.complete(token, 'completed later');
  expect(await handle.result()).toEqual({ lost: null, result: 'completed later' });
});

test('while the server does not answer nothing is lost: the next sweep reports', async () => {
  const first = await startWorker();
  const handle = await startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  const deaf = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  expect(await sweep(deaf)).toEqual({ ...NOTHING, kept: 1 });
  await deaf.connection.close();
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('a process group that outlived its worker is ended before its attempt is reported lost', async () => {
  const first = await startWorker();
  const handle = await startAttempts('holdWithGroup');
  const leader = Number(await first.saying('group'));
  await first.kill();
  expect(() => process.kill(leader, 0)).not.toThrow();
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  expect(await isRunning(leader)).toBe(false);
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('attempts from before a reboot are reported; process ids from then are nobody’s', async () => {
  const first = await startWorker();
  const handle = await startAttempts('holdWithGroup');
  const leader = Number(await first.saying('group'));
  await first.kill();
  await rewriteLedger((text) => text.replace(/"bootId":"[^"]*"/, '"bootId":"another"'));
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  expect(await isRunning(leader)).toBe(true);
  process.kill(leader, 'SIGKILL');
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('an attempt whose processes cannot be told from another container’s is left to its timeout', async () => {
  const first = await startWorker();
  const handle = await startAttempts('holdWithGroup');
  const leader = Number(await first.saying('group'));
  await first.kill();
  await rewriteLedger((text) => text.replace(/"pidNamespace":"[^"]*"/, '"pidNamespace":"pid:[1]"'));
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, unproved: 1 });
  expect(await isRunning(leader)).toBe(true);
  process.kill(leader, 'SIGKILL');
  const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: handle.workflowId },
  });
  expect(pendingActivities).toHaveLength(1);
  await handle.terminate();
});

test('a token that the server cannot read does not keep the others from being reported', async () => {
  const first = await startWorker();
  const handle = await startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  await rewriteLedger((text) => {
    const [header, begun = ''] = text.split('\n');
    const broken = begun.replace(/"taskToken":"[^"]*"/, '"taskToken":"bm9uZQ=="');
    return [header, broken.replace('"attempt":1', '"attempt":9'), begun, ''].join('\n');
  });
  expect(await sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1, settledBefore: 1 });
  expect(await filesOfDeadWorkers()).toEqual([]);
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('sweeping goes on by itself until it is stopped', async () => {
  const { id: ownId } = await openSweeper();
  const sweeping = startSweeping({ directory, client, log, ownId, intervalMs: 50 });
  const first = await startWorker();
  const handle = await startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  await startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
  await expect.poll(filesOfDeadWorkers).toHaveLength(2);
  await sweeping.stop();
});

async function rewriteLedger(change: (text: string) => string): Promise<void> {
  const name = (await readdir(directory)).find((one) => one.endsWith('.ledger'));
  if (name === undefined) throw new Error('expected a ledger');
  const path = join(directory, name);
  await writeFile(path, change(await readFile(path, 'utf8')));
  const before = new Date(Date.now() - 60_000);
  await utimes(path, before, before);
}

async function isRunning(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
