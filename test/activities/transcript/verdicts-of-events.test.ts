import { describe, expect, test } from 'vitest';
import type { RecordedRun } from '../../support/recorded-run.ts';
import { callInputOf, callOutputOf } from '../../support/sample-outputs.ts';
import { callsOf, withPlan } from './calls-of-run.ts';

const anna = { id: 'anna' };

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
