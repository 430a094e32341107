import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { eventsOf, failedTasks } from '../../src/testing/crash/workflow-tasks.ts';
import { temporalClient } from '../support/temporal-client.ts';
import { type EffectStore, startEffectStore } from './effect-store.ts';
import { quickCrashTest } from './quick-crash-test.ts';

const liars = new URL('liars.fixture.ts', import.meta.url);
let store: EffectStore;
beforeEach(async () => {
  store = await startEffectStore();
});
afterEach(() => store.close());

describe('a crash test', () => {
  test('finds a tool that is not as idempotent as it says, and a reconcile that lies', async () => {
    const report = await quickCrashTest(
      {
        config: liars,
        options: { url: store.url },
        conversation: (n) => ({
          agent: n % 2 === 0 ? 'twice' : 'forgetful',
          start: { message: 'Act' },
        }),
        effects: (conversationId) => store.effectsOf(conversationId),
        points: ['after effect'],
        kills: 2,
        atOnce: 4,
        seed: 3,
        address: inject('temporalAddress'),
      },
      inject('compiledPath'),
    );
    expect(report).toMatchObject({ kills: 2, repeatedSteps: 0, conversations: { stuck: 0 } });
    expect(report.falseOk).toBeGreaterThan(1);
    expect(report.repeatedOnce).toBeGreaterThan(0);
    expect(report.problems.join('\n')).toMatch(/is ok, and had its effect 2 times/);
  });

  test('goes by executions where no store can be asked, and then has to believe a reconcile', async () => {
    const report = await quickCrashTest(
      {
        config: liars,
        options: { url: store.url },
        conversation: () => ({ agent: 'forgetful', start: { message: 'Act' } }),
        points: ['after effect'],
        kills: 2,
        atOnce: 2,
        seed: 4,
        address: inject('temporalAddress'),
      },
      inject('compiledPath'),
    );
    expect(report).toMatchObject({ repeatedOnce: 0, falseOk: 0, problems: [] });
    expect(report.hits.find(({ target }) => target.effect === 'once, reconciles')?.kills).toBe(1);
  });

  test('counts a conversation that does not end as stuck, and says where it stands', async () => {
    const report = await quickCrashTest(
      {
        config: new URL('endless.fixture.ts', import.meta.url),
        conversation: () => ({ agent: 'endless', start: { message: 'Act' } }),
        points: ['before model'],
        kills: 1,
        atOnce: 1,
        stuckAfterMs: 3_000,
        seed: 5,
        address: inject('temporalAddress'),
      },
      inject('compiledPath'),
    );
    expect(report.conversations).toEqual({ begun: 1, finished: 0, stuck: 1 });
    expect(report.problems).toEqual([
      expect.stringMatching(/^endless-1-\w+: it is stuck: it had not ended in time, with .* open$/),
    ]);
  });

  test('counts workflow tasks that failed', async () => {
    const client = await temporalClient();
    const { connection, workflow, workflowService } = client;
    const taskQueue = `failing-${randomUUID()}`;
    const workflowId = randomUUID();
    await workflow.start('clerk', { taskQueue, workflowId, args: [] });
    const asked = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'test' };
    const { taskToken } = await connection.withDeadline(Date.now() + 30_000, () =>
      workflowService.pollWorkflowTaskQueue(asked),
    );
    await workflowService.respondWorkflowTaskFailed({
      namespace: 'default',
      taskToken,
      cause: 24,
      failure: { message: '[TMPRL1100] Nondeterminism error' },
    });
    const { runId } = await workflow.getHandle(workflowId).describe();
    expect(failedTasks(await eventsOf(client, { workflowId, runs: [runId] }))).toEqual([
      'event 4, cause 24: [TMPRL1100] Nondeterminism error',
    ]);
    await workflow.getHandle(workflowId).terminate();
  });
});
