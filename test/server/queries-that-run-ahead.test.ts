import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { RAN_AHEAD } from '../../src/core/ran-ahead.ts';
import type { StatusAnswer } from '../../src/core/status.ts';
import echoConfig from '../support/echo.fixture.ts';
import { eventsOfRuns } from '../support/raw-sender.ts';
import { temporalClient } from '../support/temporal-client.ts';
import { withWorker } from '../support/with-worker.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const SECONDS = 1_000;
const STICKY = 2;
const fixture = new URL('../support/echo.fixture.ts', import.meta.url);

test('a query answered while a dead worker holds the task is not ahead of what is recorded', async () => {
  const temporal = await temporalClient();
  const taskQueue = `ahead-${randomUUID()}`;
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-ahead-'));
  const conversation = await temporal.workflow.start('echo', {
    taskQueue,
    workflowId: taskQueue,
    args: [{ mode: 'chat', message: 'one' }],
    workflowTaskTimeout: 60 * SECONDS,
  });
  const killed = await startWorkerProcess({ fixture, taskQueue, dataDirectory: dataDir });
  await untilAnswered(conversation, 'heard 1');
  await killed.kill();

  const dead = await inPlaceOfTheDead(temporal, taskQueue);
  const queryIsLost = dead.poll();
  const query = temporal.connection.withDeadline(Date.now() + 60 * SECONDS, () =>
    conversation.query<StatusAnswer>('status'),
  );
  query.catch(() => {});
  await queryIsLost;
  const taskIsStarted = dead.poll();
  await conversation.signal('message', { content: 'two' });
  const { taskToken } = await taskIsStarted;
  await withWorker({ ...echoConfig(), taskQueue, dataDir }, async () => {
    // The server asks this worker instead. It applies the signal, which no completed task has yet.
    expect(await query).toMatchObject({ status: 'running' });
    await conversation.signal('close');
    await dead.fail(taskToken);
    await conversation.result();
  });
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: inject('workflowBundlePath') } },
    await conversation.fetchHistory(),
  );
  const failures = (await eventsOfRuns(temporal, taskQueue)).flatMap(
    (event) => event.workflowTaskFailedEventAttributes?.failure?.message ?? [],
  );
  expect(failures).toEqual([RAN_AHEAD]);
  await rm(dataDir, { recursive: true, force: true });
});

async function untilAnswered(conversation: WorkflowHandle, text: string): Promise<void> {
  const answer = async () => (await conversation.query<StatusAnswer>('status')).lastTurn?.text;
  await expect.poll(answer, { timeout: 40 * SECONDS, interval: 250 }).toBe(text);
}

/** Takes from the server, and keeps to itself, what goes to the worker that served this workflow last. */
async function inPlaceOfTheDead(temporal: Client, workflowId: string) {
  const { workflowService, connection } = temporal;
  const events = await eventsOfRuns(temporal, workflowId);
  const queues = events.flatMap(
    (event) => event.workflowTaskScheduledEventAttributes?.taskQueue ?? [],
  );
  const { name } = queues.findLast(({ kind }) => kind === STICKY) ?? {};
  return {
    poll: () =>
      connection.withDeadline(Date.now() + 60 * SECONDS, () =>
        workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          identity: 'dead',
          taskQueue: { name: name ?? '', kind: STICKY, normalName: workflowId },
        }),
      ),
    fail: (taskToken: Uint8Array) =>
      workflowService.respondWorkflowTaskFailed({
        namespace: 'default',
        identity: 'dead',
        taskToken,
      }),
  };
}
