import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { startSweeping } from '../../src/activities/ledger/start-sweeping.ts';
import { sweepLostAttempts } from '../../src/activities/ledger/sweep-lost-attempts.ts';
import {
  log,
  NOTHING,
  useLedgerWorkers,
} from '../activities/ledger/fixtures/use-ledger-workers.ts';
import type { Outcome } from '../activities/ledger/fixtures/workflows.ts';

const here = useLedgerWorkers();

test('a killed worker’s attempt is failed as lost, and another worker runs the next one', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  const second = await here.startWorker();
  const expected: Outcome = { lost: 'WorkerLost', result: `finished by ${second.pid}` };
  expect(await handle.result()).toEqual(expected);
  expect(await here.sweep()).toEqual(NOTHING);
});

test('of two workers that share a directory, one being killed costs the other nothing', async () => {
  const first = await here.startWorker();
  const lost = await here.startAttempts('hold');
  await first.saying('begun');
  const queueOfFirst = here.taskQueue;
  here.taskQueue = `ledger-${randomUUID()}`;
  const second = await here.startWorker();
  const kept = await here.startAttempts('hold');
  await second.saying('begun');
  await first.kill();
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  second.tell('release');
  expect(await kept.result()).toEqual({ lost: null, result: `held by ${second.pid}` });
  here.taskQueue = queueOfFirst;
  await here.startWorker();
  expect((await lost.result()).lost).toBe('WorkerLost');
});

test('a stopped worker is not declared dead, and its attempt ends as its own when it goes on', async () => {
  const worker = await here.startWorker();
  const handle = await here.startAttempts('hold');
  await worker.saying('begun');
  worker.signal('SIGSTOP');
  expect(await here.sweep()).toEqual(NOTHING);
  worker.signal('SIGCONT');
  worker.tell('release');
  expect(await handle.result()).toEqual({ lost: null, result: `held by ${worker.pid}` });
});

test('two sweeps at once report an attempt once', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  const sweepers = [await here.openSweeper(), await here.openSweeper(), await here.openSweeper()];
  const reports = await Promise.all(
    sweepers.map(({ id }) =>
      sweepLostAttempts({ directory: here.directory, client: here.client, log, ownId: id }),
    ),
  );
  expect(reports.map(({ reported }) => reported).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  expect(reports.map(({ settledBefore }) => settledBefore)).toEqual([0, 0, 0]);
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('while the server does not answer nothing is lost: the next sweep reports', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  const deaf = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  expect(await here.sweep(deaf)).toEqual({ ...NOTHING, kept: 1 });
  await deaf.connection.close();
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('sweeping goes on by itself until it is stopped', async () => {
  const { id: ownId } = await here.openSweeper();
  const sweeping = startSweeping({
    directory: here.directory,
    client: here.client,
    log,
    ownId,
    intervalMs: 50,
  });
  const first = await here.startWorker();
  const handle = await here.startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
  await expect.poll(here.filesOfDeadWorkers).toHaveLength(2);
  await sweeping.stop();
});
