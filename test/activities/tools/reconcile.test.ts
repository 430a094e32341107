import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/tools/tool.ts';
import { aborted, buildTool, Harness, SHUTDOWN, STOPPED, untilAborted } from './harness.ts';

type Reconcile = NonNullable<Tool<never>['reconcile']>;

function harnessFor(reconcile: Reconcile | undefined, options: Partial<Tool<never>> = {}): Harness {
  const execute = () => {
    throw new Error('reconcile never executes');
  };
  const tool = buildTool(execute, reconcile === undefined ? options : { ...options, reconcile });
  return new Harness(tool);
}
const activityOf = (harness: Harness) =>
  harness.activity({ activityType: 'perdure.reconcile', activityId: '3.2.1.reconcile' });

describe('reconcile', () => {
  test('done settles the call as ok with its output, and remembers the entry', async () => {
    const harness = harnessFor((input, ctx) => ({
      status: 'done',
      output: { refund: input, key: ctx.idempotencyKey },
    }));
    const answer = await harness.reconcile(activityOf(harness));
    expect(answer).toMatchObject({ status: 'done', output: { outcome: 'ok', effect: 'happened' } });
    expect(harness.remembered).toMatchObject([
      { activityId: '3.2.1.reconcile', entry: { kind: 'result', tool: 'refund_order' } },
    ]);
    expect(harness.ledger).toEqual(['begin 3.2.1.reconcile', 'returned 3.2.1.reconcile']);
  });

  test('done with an output that is no JSON still says that it happened', async () => {
    const harness = harnessFor(() => ({ status: 'done', output: () => 1 }));
    expect(await harness.reconcile(activityOf(harness))).toMatchObject({
      status: 'done',
      output: { outcome: 'invalid_output', effect: 'happened' },
    });
  });

  test('not_done leaves the decision to the workflow', async () => {
    const harness = harnessFor(() => Promise.resolve({ status: 'not_done' }));
    expect(await harness.reconcile(activityOf(harness))).toEqual({ status: 'not_done' });
    expect(harness.remembered).toEqual([]);
  });

  test.each<[string, Reconcile, string]>([
    ['unknown', () => ({ status: 'unknown' }), 'The attempt was lost'],
    [
      'a throw',
      () => {
        throw new Error('shop is down');
      },
      'It could not be found out: Error: shop is down',
    ],
    ['no answer', () => undefined as never, 'The tool gave no answer'],
    ['a wrong answer', () => ({ status: 'maybe' }) as never, 'The tool gave no answer'],
  ])('%s is outcome_unknown', async (_, reconcile, words) => {
    const harness = harnessFor(reconcile);
    const answer = await harness.reconcile(activityOf(harness));
    expect(answer).toMatchObject({
      status: 'unknown',
      output: { outcome: 'outcome_unknown', effect: 'unknown' },
    });
    expect(JSON.stringify(answer)).toContain(words);
    expect(JSON.stringify(answer)).toContain('check before you repeat it');
  });

  test('one that hangs is outcome_unknown after the time of the tool', async () => {
    const harness = harnessFor(() => new Promise(() => undefined), { timeoutMs: 20 });
    expect(await harness.reconcile(activityOf(harness))).toMatchObject({
      status: 'unknown',
      output: { outcome: 'outcome_unknown' },
    });
  });

  test('a tool whose code has none any more is outcome_unknown', async () => {
    const harness = harnessFor(undefined);
    expect(await harness.reconcile(activityOf(harness))).toMatchObject({ status: 'unknown' });
  });

  test('a stop while it asks is outcome_unknown', async () => {
    const harness = harnessFor((_, ctx) => untilAborted(ctx.signal));
    const activity = activityOf(harness);
    const answer = harness.reconcile(activity);
    await expect.poll(() => harness.ledger).toHaveLength(1);
    activity.cancel('CANCELLED', STOPPED);
    expect(await answer).toMatchObject({ status: 'unknown' });
  });

  test('a shutdown while it asks ends the attempt, so that it is asked again', async () => {
    const harness = harnessFor((_, ctx) => untilAborted(ctx.signal));
    const activity = activityOf(harness);
    const answer = harness.reconcile(activity);
    const refused = expect(answer).rejects.toMatchObject({ type: 'WorkerShutdown' });
    await expect.poll(() => harness.ledger).toHaveLength(1);
    activity.cancel('WORKER_SHUTDOWN', SHUTDOWN);
    await refused;
  });

  test.each([
    ['stop', 'CANCELLED', STOPPED],
    ['shutdown', 'WORKER_SHUTDOWN', SHUTDOWN],
  ] as const)('done counts also when a %s came before it', async (_, reason, details) => {
    const harness = harnessFor(async (_input, ctx) => {
      await aborted(ctx.signal);
      return { status: 'done', output: 'refunded' };
    });
    const activity = activityOf(harness);
    const answer = harness.reconcile(activity);
    await expect.poll(() => harness.ledger).toHaveLength(1);
    activity.cancel(reason, details);
    expect(await answer).toMatchObject({ status: 'done', output: { outcome: 'ok' } });
  });

  test('not_done does not count when a stop came before it', async () => {
    const harness = harnessFor(async (_, ctx) => {
      await aborted(ctx.signal);
      return { status: 'not_done' };
    });
    const activity = activityOf(harness);
    const answer = harness.reconcile(activity);
    await expect.poll(() => harness.ledger).toHaveLength(1);
    activity.cancel('CANCELLED', STOPPED);
    expect(await answer).toMatchObject({ status: 'unknown' });
  });

  test('is in the ledger while what it needs is read, and a stop does not wait for that', async () => {
    const harness = harnessFor(() => ({ status: 'unknown' }));
    const transcripts = { ...harness.environment.transcripts, spec: () => new Promise(() => {}) };
    const hanging = new Harness(harness.tool, {
      environment: { transcripts: transcripts as never },
    });
    const activity = activityOf(hanging);
    const answer = hanging.reconcile(activity);
    await expect.poll(() => hanging.ledger).toEqual(['begin 3.2.1.reconcile']);
    activity.cancel('CANCELLED', STOPPED);
    expect(await answer).toMatchObject({ status: 'unknown' });
  });

  test('a worker without the tool fails the attempt', async () => {
    const harness = harnessFor(() => ({ status: 'unknown' }));
    const environment = { ...harness.environment, agents: new Map() };
    const elsewhere = new Harness(harness.tool, { environment });
    await expect(elsewhere.reconcile(activityOf(elsewhere))).rejects.toMatchObject({
      type: 'NotKnownHere',
    });
  });
});
