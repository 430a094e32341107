import { expect, test } from 'vitest';
import { NOTHING, useLedgerWorkers } from '../activities/ledger/fixtures/use-ledger-workers.ts';
import { isRunning } from '../support/is-running.ts';

const here = useLedgerWorkers();

test('an attempt that the server has as completed stays completed when its worker dies then', async () => {
  const worker = await here.startWorker();
  const handle = await here.startAttempts('finish');
  const result = await handle.result();
  await worker.kill();
  expect((await here.sweep()).reported).toBe(0);
  expect(result).toEqual({ lost: null, result: `finished by ${worker.pid}` });
});

test('an attempt whose worker dies between its return and its report is found', async () => {
  await here.startWorker();
  const handle = await here.startAttempts('dieBeforeReport');
  await expect
    .poll(() => here.sweep(), { timeout: 30_000 })
    .toEqual({
      ...NOTHING,
      workers: 1,
      reported: 1,
    });
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('an attempt that was handed out is not lost with the worker that handed it out', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('handOut');
  const token = Buffer.from(String(await first.saying('token')), 'base64');
  await first.kill();
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1 });
  await here.client.workflowService.resetStickyTaskQueue({
    namespace: 'default',
    execution: { workflowId: handle.workflowId },
  });
  await here.startWorker();
  await here.client.activity.complete(token, 'completed later');
  expect(await handle.result()).toEqual({ lost: null, result: 'completed later' });
});

test('a process group that outlived its worker is ended before its attempt is reported lost', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('holdWithGroup');
  const leader = Number(await first.saying('group'));
  await first.kill();
  expect(() => process.kill(leader, 0)).not.toThrow();
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  expect(isRunning(leader)).toBe(false);
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('attempts from before a reboot are reported; process ids from then are nobody’s', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('holdWithGroup');
  const leader = Number(await first.saying('group'));
  await first.kill();
  await here.rewriteLedger((text) => text.replace(/"bootId":"[^"]*"/, '"bootId":"another"'));
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1 });
  expect(isRunning(leader)).toBe(true);
  process.kill(leader, 'SIGKILL');
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});

test('an attempt whose processes cannot be told from another container’s is left to its timeout', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('holdWithGroup');
  const leader = Number(await first.saying('group'));
  await first.kill();
  await here.rewriteLedger((text) =>
    text.replace(/"pidNamespace":"[^"]*"/, '"pidNamespace":"pid:[1]"'),
  );
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, unproved: 1 });
  expect(isRunning(leader)).toBe(true);
  process.kill(leader, 'SIGKILL');
  const { pendingActivities } = await here.client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: handle.workflowId },
  });
  expect(pendingActivities).toHaveLength(1);
  await handle.terminate();
});

test('a token that the server cannot read does not keep the others from being reported', async () => {
  const first = await here.startWorker();
  const handle = await here.startAttempts('hold');
  await first.saying('begun');
  await first.kill();
  await here.rewriteLedger((text) => {
    const [header, begun = ''] = text.split('\n');
    const broken = begun.replace(/"taskToken":"[^"]*"/, '"taskToken":"bm9uZQ=="');
    return [header, broken.replace('"attempt":1', '"attempt":9'), begun, ''].join('\n');
  });
  expect(await here.sweep()).toEqual({ ...NOTHING, workers: 1, reported: 1, settledBefore: 1 });
  expect(await here.filesOfDeadWorkers()).toEqual([]);
  await here.startWorker();
  expect((await handle.result()).lost).toBe('WorkerLost');
});
