import { describe, expect, test } from 'vitest';
import { callsOfEvents } from '../../../src/activities/transcript/calls-of-events.ts';
import { createPayloadDecoder } from '../../../src/activities/transcript/payload-decoder.ts';
import { createEventDecoder } from '../../../src/activities/transcript/recorded-event.ts';
import type { PlannedCall } from '../../../src/core/call.ts';
import { RecordedRun } from '../../support/recorded-run.ts';
import { callInputOf, callOutputOf } from '../../support/sample-outputs.ts';

const anna = { id: 'anna' };

async function callsOf(run: RecordedRun) {
  const decodePage = createEventDecoder(createPayloadDecoder([]), run.location);
  return callsOfEvents(await decodePage(run.events));
}

async function withPlan(more: Partial<PlannedCall> = {}) {
  const run = await RecordedRun.begin();
  run.user('go');
  const call = run.plan(0, more);
  await run.model({ calls: 1 }, { calls: [call] });
  return { run, call };
}

async function signal(run: RecordedRun, signalName: string, input: unknown): Promise<void> {
  const payloads = await run.encode(input);
  run.add({ workflowExecutionSignaledEventAttributes: { signalName, input: { payloads } } });
}

async function update(
  run: RecordedRun,
  input: unknown,
  refusal?: { message: string; details: unknown },
) {
  const args = { payloads: await run.encode(input) };
  const acceptedEventId = run.add({
    workflowExecutionUpdateAcceptedEventAttributes: {
      acceptedRequest: { input: { name: 'decide', args } },
    },
  });
  const failure = refusal && {
    message: refusal.message,
    applicationFailureInfo: {
      type: 'PerdureRefusal',
      details: { payloads: await run.encode(refusal.details) },
    },
  };
  run.add({
    workflowExecutionUpdateCompletedEventAttributes: {
      acceptedEventId,
      outcome: failure ? { failure } : { success: { payloads: [] } },
    } as never,
  });
}

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

describe('what history says of verdicts', () => {
  test('each is kept in order, by whichever door it came', async () => {
    const { run, call } = await withPlan({ verdict: 'ask' });
    await signal(run, 'deny', { key: call.key, by: anna, reason: 'not today' });
    await update(
      run,
      { decision: 'approve', key: call.key, by: { id: 'ben' } },
      { message: 'already decided', details: { code: 'already_decided' } },
    );
    const { calls, otherDecisions } = await callsOf(run);
    expect(calls[0]?.decisions).toMatchObject([
      { decision: 'deny', via: 'signal', by: anna, reason: 'not today' },
      {
        decision: 'approve',
        via: 'update',
        by: { id: 'ben' },
        refusal: {
          type: 'PerdureRefusal',
          message: 'already decided',
          details: { code: 'already_decided' },
        },
      },
    ]);
    expect(otherDecisions).toEqual([]);
  });

  test('an edit is kept with what was run instead', async () => {
    const { run, call } = await withPlan({ verdict: 'ask' });
    await update(run, { decision: 'approve', key: call.key, by: anna, input: { n: 5 } });
    await run.activity(
      '1.1.0.edit.1',
      'perdure.validate',
      { key: call.key, tool: call.tool, input: { n: 5 } },
      { input: { n: 5 }, digest: 'd', summary: 's' },
    );
    await run.activity(
      '1.1.0',
      call.tool,
      {
        ...callInputOf(call),
        input: { n: 5 },
        edited: { originalDigest: call.inputDigest, by: anna },
      },
      callOutputOf(call, 'ran'),
    );
    const [read] = (await callsOf(run)).calls;
    expect(read).toMatchObject({
      planned: { input: { n: 0 } },
      effectiveInput: { n: 5 },
      decisions: [{ input: { n: 5 } }],
    });
    expect(read?.attempts.map(({ kind }) => kind)).toEqual(['validate', 'tool']);
  });

  test("one that names the provider's id is about the newest call that has it", async () => {
    const { run, call } = await withPlan({ verdict: 'ask' });
    await signal(run, 'approve', { callId: call.callId, by: anna });
    await run.result(call, 'first');
    const later = run.plan(0, { verdict: 'ask' });
    await run.model({ calls: 1 }, { calls: [later] });
    await signal(run, 'deny', { callId: call.callId, by: anna });
    const { calls } = await callsOf(run);
    expect(calls.map(({ decisions }) => decisions.map(({ decision }) => decision))).toEqual([
      ['approve'],
      ['deny'],
    ]);
  });

  test('one about no known call, or no verdict at all, is kept apart', async () => {
    const { run } = await withPlan();
    await signal(run, 'approve', { key: 'order-7/9.9.9.zz', by: anna });
    await signal(run, 'approve', 'nonsense');
    run.add({
      workflowExecutionSignaledEventAttributes: {
        signalName: 'deny',
        input: { payloads: [{ metadata: {}, data: null }] },
      },
    });
    await signal(run, 'message', { content: 'hello' });
    const { otherDecisions } = await callsOf(run);
    expect(otherDecisions.map(({ decision, key }) => [decision, key])).toEqual([
      ['approve', 'order-7/9.9.9.zz'],
      ['approve', undefined],
      ['deny', undefined],
    ]);
  });
});
