import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { PlannedCall } from '../../src/core/call.ts';
import { textOf, type Content } from '../../src/core/content.ts';
import type { ResultEntry } from '../../src/core/entry.ts';
import { runCall } from '../../src/workflows/run-call.ts';
import { buildCall, buildMemory } from '../support/build-memory.ts';
import {
  cancelled,
  done,
  type Ending,
  failed,
  SimulatedActivities,
  timedOut,
} from './simulated-activities.ts';

let activities = new SimulatedActivities();

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  scheduleActivity: (...args: Parameters<SimulatedActivities['schedule']>) =>
    activities.schedule(...args),
  sleep: (ms: number) => activities.sleep(ms),
  patched: () => activities.isPatched,
  workflowInfo: () => ({ runId: 'run', originalExecutionRunId: 'run' }),
}));

beforeEach(() => {
  activities = new SimulatedActivities();
});

/** Runs a call whose attempts end like this, one after the other, and no others begin. */
async function settled(call: Partial<PlannedCall>, ...endings: readonly Ending[]) {
  activities.endings = endings;
  const memory = buildMemory();
  const { item, outcome, effect } = await runCall(memory, buildCall(0, call), undefined);
  expect(activities.scheduled).toHaveLength(endings.length);
  const text =
    'entry' in item ? textOf((item.entry as ResultEntry).content as Content) : item.activityId;
  return { outcome, effect, text };
}

const dead = failed('WorkerLost');
const silent = timedOut('HEARTBEAT');
const late = timedOut('START_TO_CLOSE');
const once = { effect: 'once' } as const;
const reconciles = { effect: 'once', reconciles: true } as const;

describe('a lost attempt', () => {
  test.each(['read', 'idempotent'] as const)(
    'of a %s call is followed by another',
    async (effect) => {
      expect(await settled({ effect }, dead, silent, done)).toMatchObject({
        outcome: 'ok',
        text: '1.1.0#3',
      });
      expect(activities.ids).toEqual(['1.1.0', '1.1.0#2', '1.1.0#3']);
      const inputs = activities.scheduled.map(({ input }) => input);
      expect(inputs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      expect(new Set(inputs.map(({ key }) => key)).size).toBe(1);
      expect(inputs.map(({ earlier }) => earlier)).toEqual(
        effect === 'read' ? [undefined, undefined, undefined] : [undefined, 'unknown', 'unknown'],
      );
    },
  );

  test.each([
    ['read', 'tool_failed', 'none'],
    ['idempotent', 'outcome_unknown', 'unknown'],
  ] as const)(
    'of a %s call is the last one when it is the third',
    async (effect, outcome, state) => {
      expect(await settled({ effect }, dead, late, silent)).toMatchObject({
        outcome,
        effect: state,
      });
    },
  );

  test.each([
    ['whose worker died', dead],
    ['that went silent', silent],
    ['whose runtime hung', late],
    ['that its worker ended', failed('WorkerShutdown', { ended: true })],
    ['that Temporal started again', failed('SecondStart')],
    ['that an operator paused', failed('ActivityPause')],
    ['that an operator reset', failed('ActivityReset')],
    ['of a run that was reset', failed('ResetWorkflow')],
  ])('of a once call, %s, is the last one, and nobody knows what it did', async (_, lost) => {
    expect(await settled(once, lost)).toMatchObject({
      outcome: 'outcome_unknown',
      effect: 'unknown',
    });
  });

  test('is not counted when a deploy ended it', async () => {
    const shutdown = failed('WorkerShutdown', { ended: true });
    const endings = [shutdown, shutdown, shutdown, shutdown, dead, dead, done];
    expect(await settled({ effect: 'idempotent' }, ...endings)).toMatchObject({ outcome: 'ok' });
  });
});

describe('a lost attempt of a once call that can find out', () => {
  const notDone = { status: 'not_done' };

  test('is settled by what it finds out', async () => {
    const answer = { status: 'done', output: done };
    expect(await settled(reconciles, silent, answer)).toEqual({
      outcome: 'ok',
      effect: 'happened',
      text: '1.1.0.reconcile',
    });
    expect(activities.scheduled.map(({ type }) => type)).toEqual(['tool', 'perdure.reconcile']);
  });

  test.each([
    ['its worker died', dead],
    ['its handler returned in a shutdown', failed('WorkerShutdown', { ended: true })],
  ])('is repeated when nothing was done and %s', async (_, lost) => {
    expect(await settled(reconciles, lost, notDone, done)).toMatchObject({ outcome: 'ok' });
    expect(activities.scheduled.at(-1)?.input).toMatchObject({ attempt: 2 });
    expect(activities.scheduled.at(-1)?.input).not.toHaveProperty('earlier');
  });

  test.each([
    ['it only went silent', silent],
    ['its runtime hung', late],
    ['its handler did not return in a shutdown', failed('WorkerShutdown', { ended: false })],
    ['Temporal started it again', failed('SecondStart')],
  ])('is not repeated when nothing was done yet and %s', async (_, lost) => {
    expect(await settled(reconciles, lost, notDone)).toMatchObject({ outcome: 'outcome_unknown' });
  });

  test('is given up at the third', async () => {
    const endings = [dead, notDone, dead, notDone, dead, notDone];
    expect(await settled(reconciles, ...endings)).toMatchObject({ outcome: 'outcome_unknown' });
    expect(new Set(activities.ids).size).toBe(6);
  });

  test.each([
    ['nobody knows', { status: 'unknown', output: done }],
    ['somebody else completed it', { anything: 7 }],
    ['it is stopped', cancelled()],
  ])('is unknown when %s', async (_, answer) => {
    expect(await settled(reconciles, dead, answer)).toMatchObject({
      outcome: 'outcome_unknown',
      effect: 'unknown',
    });
  });

  test('is asked again when the answer was lost, three times', async () => {
    expect(
      await settled(reconciles, dead, dead, silent, { status: 'done', output: done }),
    ).toMatchObject({
      outcome: 'ok',
    });
    activities = new SimulatedActivities();
    expect(await settled(reconciles, dead, dead, dead, dead)).toMatchObject({
      outcome: 'outcome_unknown',
    });
  });
});

describe('what is asked about a lost attempt', () => {
  const answer = { status: 'done', output: done };

  test('waits for a worker that knows the tool, as long as a deploy may take', async () => {
    const elsewhere = failed('NotKnownHere', { patienceMs: 2_000 });
    expect(await settled(reconciles, dead, elsewhere, elsewhere, answer)).toMatchObject({
      outcome: 'ok',
    });
    activities = new SimulatedActivities();
    const endings = [dead, elsewhere, elsewhere, elsewhere, elsewhere];
    expect(await settled(reconciles, ...endings)).toMatchObject({ outcome: 'outcome_unknown' });
    expect(activities.slept).toEqual([500, 1_000, 2_000]);
  });

  test('waits for its store as long as it takes, each time under an id of its own', async () => {
    const away = Array.from({ length: 10 }, () => failed('StoreUnavailable'));
    const endings = [dead, ...away, { status: 'not_done' }, dead, ...away, answer];
    expect(await settled(reconciles, ...endings)).toMatchObject({ outcome: 'ok' });
    expect(new Set(activities.ids).size).toBe(endings.length);
  });

  test('is not waited for in a run that went on without', async () => {
    activities.isPatched = false;
    const away = failed('StoreUnavailable');
    expect(await settled(reconciles, dead, away, away, away)).toMatchObject({
      outcome: 'outcome_unknown',
    });
    activities = new SimulatedActivities();
    activities.isPatched = false;
    expect(await settled(reconciles, dead, failed('NotKnownHere'))).toMatchObject({
      outcome: 'outcome_unknown',
    });
  });

  test('is unknown when the turn is stopped meanwhile', async () => {
    activities.stopsWaits = true;
    expect(await settled(reconciles, dead, failed('StoreUnavailable'))).toMatchObject({
      outcome: 'outcome_unknown',
    });
  });
});

describe('a transient failure', () => {
  const busy = (effect: string) =>
    failed('Transient', {
      outcome: { outcome: 'tool_error', effect, message: 'the shop is busy' },
    });

  test('is waited out as often as the tool says, longer each time', async () => {
    const retry = { attempts: 5, initialIntervalMs: 100, backoff: 3, maximumIntervalMs: 500 };
    const none = busy('none');
    const result = await settled({ effect: 'idempotent', retry }, none, none, none, none, none);
    expect(result).toMatchObject({ outcome: 'tool_error', effect: 'none' });
    expect(result.text).toContain('the shop is busy');
    expect(activities.slept).toEqual([100, 300, 500, 500]);
  });

  test('does not make anybody forget what an attempt before it may have done', async () => {
    const retry = { attempts: 2, initialIntervalMs: 1, backoff: 1, maximumIntervalMs: 1 };
    const call = { effect: 'idempotent', retry } as const;
    const result = await settled(call, busy('unknown'), busy('none'));
    expect(result).toMatchObject({ outcome: 'tool_error', effect: 'unknown' });
    activities = new SimulatedActivities();
    expect(await settled(call, dead, busy('none'), busy('none'))).toMatchObject({
      effect: 'unknown',
    });
  });

  test('that is waited out when the turn is stopped says what the attempt may have done', async () => {
    activities.stopsWaits = true;
    expect(await settled({ effect: 'idempotent' }, busy('unknown'))).toMatchObject({
      outcome: 'cancelled',
      effect: 'unknown',
    });
  });
});

describe('a call on a task queue of its own', () => {
  const taskQueue = 'isolated';

  test('goes there, and is not waited for without end', async () => {
    await settled({ taskQueue }, done);
    expect(activities.scheduled[0]?.options).toMatchObject({
      taskQueue,
      scheduleToStartTimeout: 300_000,
    });
    activities = new SimulatedActivities();
    await settled({}, done);
    expect(activities.scheduled[0]?.options).not.toHaveProperty('scheduleToStartTimeout');
  });

  test('that no worker takes is a timeout without effect, which names the queue', async () => {
    const result = await settled({ ...once, taskQueue }, timedOut('SCHEDULE_TO_START'));
    expect(result).toMatchObject({ outcome: 'timeout', effect: 'none' });
    expect(result.text).toContain(
      'No worker took the call from task queue "isolated" within 300 s.',
    );
  });

  test('is asked about there as well', async () => {
    await settled({ ...reconciles, taskQueue }, dead, timedOut('SCHEDULE_TO_START'));
    expect(activities.scheduled[1]?.options).toMatchObject({ taskQueue });
  });
});

describe('a call that is completed later', () => {
  const later = { ...once, completion: 'later' } as const;

  test('needs no heartbeats, and holds up no stop', async () => {
    await settled(later, done);
    expect(activities.scheduled[0]?.options).toMatchObject({
      cancellationType: 'TRY_CANCEL',
      startToCloseTimeout: 90_000,
    });
    expect(activities.scheduled[0]?.options).not.toHaveProperty('heartbeatTimeout');
  });

  test('is a timeout when nobody completes it', async () => {
    const result = await settled(later, late);
    expect(result).toMatchObject({ outcome: 'timeout', effect: 'unknown' });
    expect(result.text).toContain('Nobody completed it within 60000 ms.');
  });

  test('is unknown when it was stopped', async () => {
    expect(await settled(later, cancelled())).toMatchObject({
      outcome: 'cancelled',
      effect: 'unknown',
    });
  });

  test('has no effect when it was stopped before a worker could begin it', async () => {
    activities.stopsWaits = true;
    const result = await settled(later, failed('NotKnownHere', { patienceMs: 60_000 }));
    expect(result).toMatchObject({ outcome: 'cancelled', effect: 'none' });
  });
});

describe('a call that could not begin', () => {
  test('waits for a worker that knows its tool, as long as a deploy may take', async () => {
    const elsewhere = failed('NotKnownHere', { patienceMs: 2_000 });
    expect(await settled(once, elsewhere, elsewhere, done)).toMatchObject({ outcome: 'ok' });
    activities = new SimulatedActivities();
    expect(await settled(once, elsewhere, elsewhere, elsewhere, elsewhere)).toMatchObject({
      outcome: 'unknown_tool',
      effect: 'none',
    });
    expect(activities.slept).toEqual([500, 1_000, 2_000]);
  });

  test('waits for its store as long as it takes', async () => {
    const away = Array.from({ length: 30 }, () => failed('StoreUnavailable'));
    expect(await settled(once, ...away, done)).toMatchObject({ outcome: 'ok' });
  });

  test('is cancelled without effect when it is stopped', async () => {
    expect(await settled(once, cancelled())).toMatchObject({
      outcome: 'cancelled',
      effect: 'none',
    });
  });
});

describe('an attempt that somebody else ended', () => {
  test('with what is no result is invalid output of an unknown effect', async () => {
    const result = await settled(once, { status: 'paid' });
    expect(result).toMatchObject({ outcome: 'invalid_output', effect: 'unknown' });
    expect(result.text).toContain('{"status":"paid"}');
  });

  test('with a failure of its own is a failed tool of an unknown effect', async () => {
    const result = await settled(once, failed('Broken'));
    expect(result).toMatchObject({ outcome: 'tool_failed', effect: 'unknown' });
    expect(result.text).toContain('Broken: it is Broken');
  });
});
