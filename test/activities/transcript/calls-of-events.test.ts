import { describe, expect, test } from 'vitest';
import { callInputOf, callOutputOf } from '../../support/sample-outputs.ts';
import { callsOf, withPlan } from './calls-of-run.ts';

describe('what history says of a call', () => {
  test('every attempt, with its times, its worker and how it ended', async () => {
    const { run, call } = await withPlan();
    const first = await run.schedule('1.1.0', call.tool, callInputOf(call));
    run.start(first, 'worker-1');
    run.add({
      activityTaskFailedEventAttributes: {
        scheduledEventId: first,
        failure: { message: 'the process died', applicationFailureInfo: { type: 'WorkerLost' } },
      } as never,
    });
    const second = await run.schedule('1.1.0#2', call.tool, callInputOf(call, 2));
    run.start(second, 'worker-2');
    run.add({
      activityTaskTimedOutEventAttributes: {
        scheduledEventId: second,
        failure: { message: 'activity Heartbeat timeout', timeoutFailureInfo: {} },
      } as never,
    });
    await run.activity('1.1.0.reconcile', 'perdure.reconcile', callInputOf(call), {
      status: 'not_done',
    });
    const third = await run.schedule('1.1.0#3', call.tool, callInputOf(call, 3));
    await run.complete(third, callOutputOf(call, 'done'), 'worker-3');
    const { calls } = await callsOf(run);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.attempts).toMatchObject([
      {
        activityId: '1.1.0',
        kind: 'tool',
        state: 'failed',
        worker: 'worker-1',
        failure: { type: 'WorkerLost', message: 'the process died' },
      },
      {
        activityId: '1.1.0#2',
        state: 'timed_out',
        worker: 'worker-2',
        failure: { type: 'Timeout' },
      },
      { activityId: '1.1.0.reconcile', kind: 'reconcile', state: 'completed' },
      { activityId: '1.1.0#3', state: 'completed', worker: 'worker-3' },
    ]);
    const [attempt] = calls[0]?.attempts ?? [];
    const [planned, scheduled, started, ended] = [
      calls[0]?.plannedAt,
      attempt?.scheduledAt,
      attempt?.startedAt,
      attempt?.endedAt,
    ].map((time) => Date.parse(time ?? ''));
    expect(scheduled).toBeGreaterThan(planned ?? Infinity);
    expect(started).toBeGreaterThan(scheduled ?? Infinity);
    expect(ended).toBeGreaterThan(started ?? Infinity);
    expect(calls[0]?.result).toMatchObject({ outcome: 'ok', content: 'done', inTranscript: false });
  });

  test('an attempt that runs has no end', async () => {
    const { run, call } = await withPlan();
    await run.schedule('1.1.0', call.tool, callInputOf(call));
    const { calls } = await callsOf(run);
    expect(calls[0]?.attempts).toMatchObject([{ state: 'open' }]);
    expect(calls[0]).not.toHaveProperty('result');
  });

  test('the plan as it was: arguments, verdict, reason and summary', async () => {
    const { run, call } = await withPlan({
      verdict: 'ask',
      reason: 'it costs money',
      danger: true,
    });
    expect((await callsOf(run)).calls[0]?.planned).toEqual(call);
  });

  test('a call that was settled in the plan has its outcome at once, and its entry when it came', async () => {
    const settled = {
      outcome: 'unknown_tool',
      effect: 'none',
      message: 'there is no "nope"',
    } as const;
    const { run, call } = await withPlan({ tool: 'nope', verdict: { settled } });
    expect((await callsOf(run)).calls[0]?.result).toMatchObject({
      outcome: 'unknown_tool',
      inTranscript: false,
    });
    const { key, callId, tool } = call;
    run.inline({
      kind: 'result',
      turn: 1,
      step: 1,
      index: 0,
      key,
      callId,
      tool,
      outcome: 'unknown_tool',
      effect: 'none',
      content: '[unknown_tool] …',
    });
    await run.model('sorry');
    expect((await callsOf(run)).calls[0]?.result).toMatchObject({
      content: '[unknown_tool] …',
      inTranscript: true,
    });
  });

  test('a result whose patch failed is what the transcript says', async () => {
    const { run, call } = await withPlan();
    await run.result(call, 'patched');
    run.items = [];
    run.since = [];
    const { key, callId, tool } = call;
    run.inline({
      kind: 'result',
      turn: 1,
      step: 1,
      index: 0,
      key,
      callId,
      tool,
      outcome: 'state_conflict',
      effect: 'happened',
      content: 'conflict',
    });
    await run.model('hm');
    expect((await callsOf(run)).calls[0]?.result).toMatchObject({
      outcome: 'state_conflict',
      effect: 'happened',
    });
  });
});
