import { describe, expect, test } from 'vitest';
import { ToolError, toolOutput } from '../../../src/tools/tool.ts';
import {
  aborted,
  buildTool,
  deferred,
  Harness,
  PAUSED,
  SHUTDOWN,
  STOPPED,
  TIMED_OUT,
  untilAborted,
} from './harness.ts';

type Execute = Parameters<typeof buildTool>[0];
type Options = Parameters<typeof buildTool>[1];

/** Starts a call whose tool is running, so that it can be told to stop. */
async function started(execute: Execute, options: Options = {}) {
  const began = deferred();
  const harness = new Harness(
    buildTool((input, ctx) => {
      began.resolve();
      return execute(input, ctx);
    }, options),
  );
  const activity = harness.activity();
  const output = harness.call({}, activity);
  await began.promise;
  return { harness, activity, output };
}

describe('a stop or a cancel', () => {
  test.each([
    ['once', 'unknown'],
    ['idempotent', 'unknown'],
    ['read', 'none'],
  ] as const)('settles a running %s call as cancelled, its effect %s', async (effect, state) => {
    const { activity, output } = await started((_, ctx) => untilAborted(ctx.signal), { effect });
    activity.cancel('CANCELLED', STOPPED);
    expect(await output).toMatchObject({ outcome: 'cancelled', effect: state });
  });

  test('gives the tool an AbortError, as fetch would', async () => {
    const reasons: unknown[] = [];
    const { activity, output } = await started(async (_, ctx) => {
      reasons.push(await aborted(ctx.signal));
      throw new Error('cleaned up');
    });
    activity.cancel('CANCELLED', STOPPED);
    expect((await output).content).toContain('It ended with Error: cleaned up.');
    expect(reasons).toMatchObject([{ name: 'AbortError', interruption: 'cancelled' }]);
  });

  test('of a tool that returns all the same says that it happened, and what it returned', async () => {
    const { activity, output } = await started(async (_, ctx) => {
      await aborted(ctx.signal);
      return toolOutput('refund 12 is on its way', {
        stateUpdate: [{ op: 'add', path: '/refunds', value: 1 }],
      });
    });
    activity.cancel('CANCELLED', STOPPED);
    const settled = await output;
    expect(settled).toMatchObject({ outcome: 'cancelled', effect: 'happened' });
    expect(settled).not.toHaveProperty('patch');
    expect(settled.content).toBe(
      '[cancelled] The call was cancelled.\n' +
        'It returned all the same:\nrefund 12 is on its way\n' +
        'Its change of the shared state was not applied.\n' +
        'Its effect happened all the same; do not repeat it.',
    );
  });

  test('of a tool that vouches for its effect says what it vouches for', async () => {
    const { activity, output } = await started(async (_, ctx) => {
      await aborted(ctx.signal);
      throw new ToolError('the order was not sent', { effect: 'none' });
    });
    activity.cancel('CANCELLED', STOPPED);
    expect(await output).toMatchObject({ outcome: 'cancelled', effect: 'none' });
  });

  test('of a tool that ignores it gives the call up after the grace period', async () => {
    const { harness, activity, output } = await started(() => new Promise(() => undefined));
    activity.cancel('CANCELLED', STOPPED);
    const settled = await output;
    expect(settled).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
    expect(settled.content).toContain('it may still be running');
    expect(harness.ledger).toEqual(['begin 3.2.1', 'returned 3.2.1']);
  });

  test('before the tool began leaves it unrun', async () => {
    const runs: number[] = [];
    const harness = new Harness(buildTool(() => runs.push(1)));
    const activity = harness.activity();
    activity.cancel('CANCELLED', STOPPED);
    expect(await harness.call({}, activity)).toMatchObject({
      outcome: 'cancelled',
      effect: 'none',
    });
    expect(runs).toEqual([]);
  });

  test('does not wait for a store that hangs', async () => {
    const transcripts = { spec: () => new Promise(() => undefined), remember: () => undefined };
    const harness = new Harness(
      buildTool(() => 'x'),
      { environment: { transcripts: transcripts as never } },
    );
    const activity = harness.activity();
    const output = harness.call({}, activity);
    activity.cancel('CANCELLED', STOPPED);
    expect(await output).toMatchObject({ outcome: 'cancelled', effect: 'none' });
  });

  test('while the schema parses leaves the tool unrun', async () => {
    const parsing = deferred();
    const runs: number[] = [];
    const harness = new Harness(
      buildTool(() => runs.push(1), {
        parse: () => {
          parsing.resolve();
          return new Promise(() => undefined);
        },
      }),
    );
    const activity = harness.activity();
    const output = harness.call({}, activity);
    await parsing.promise;
    activity.cancel('CANCELLED', STOPPED);
    expect(await output).toMatchObject({ outcome: 'cancelled', effect: 'none' });
    expect(runs).toEqual([]);
  });

  test('a tool that is abandoned is named in the log when it ends after all', async () => {
    const late = deferred<string>();
    const { harness, activity, output } = await started(() => late.promise);
    activity.cancel('CANCELLED', STOPPED);
    await output;
    late.resolve('too late');
    await expect
      .poll(() => harness.logs.map(({ message }) => message))
      .toContain('the abandoned handler of "refund_order" ended after all');
  });
});

describe('the time limit of a tool', () => {
  test.each([
    ['once', 'unknown'],
    ['idempotent', 'unknown'],
    ['read', 'none'],
  ] as const)('ends a %s call as timeout, its effect %s', async (effect, state) => {
    const { output } = await started((_, ctx) => untilAborted(ctx.signal), {
      effect,
      timeoutMs: 20,
    });
    const settled = await output;
    expect(settled).toMatchObject({ outcome: 'timeout', effect: state });
    expect(settled.content).toContain('It was told to stop after 20 ms.');
  });

  test('ends a tool that never settles and does not listen', async () => {
    const { output } = await started(() => new Promise(() => undefined), { timeoutMs: 20 });
    expect(await output).toMatchObject({ outcome: 'timeout', effect: 'unknown' });
  });

  test('of a tool that returns a little later says what it returned', async () => {
    const { output } = await started(
      async (_, ctx) => {
        await aborted(ctx.signal);
        return { refunded: true };
      },
      { timeoutMs: 20 },
    );
    const settled = await output;
    expect(settled).toMatchObject({ outcome: 'timeout', effect: 'happened' });
    expect(settled.content).toContain('It returned all the same:\n{"refunded":true}');
  });

  test('covers the schema', async () => {
    const harness = new Harness(
      buildTool(() => 'x', { timeoutMs: 20, parse: () => new Promise(() => undefined) }),
    );
    expect(await harness.call()).toMatchObject({ outcome: 'timeout', effect: 'none' });
  });

  test('of weeks is no limit of milliseconds', async () => {
    const { output } = await started(
      async (_, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return ctx.signal.aborted;
      },
      { timeoutMs: 2 ** 40 },
    );
    expect(await output).toMatchObject({ outcome: 'ok', content: 'false' });
  });
});

describe('a shutdown of the worker', () => {
  test.each(['read', 'idempotent'] as const)('ends the attempt of a %s call', async (effect) => {
    const { harness, activity, output } = await started((_, ctx) => untilAborted(ctx.signal), {
      effect,
    });
    activity.cancel('WORKER_SHUTDOWN', SHUTDOWN);
    await expect(output).rejects.toMatchObject({
      type: 'WorkerShutdown',
      nonRetryable: true,
      details: [{ ended: true }],
    });
    expect(harness.remembered).toEqual([]);
    expect(harness.ledger).toEqual(['begin 3.2.1', 'returned 3.2.1']);
  });

  test('says when the handler did not end', async () => {
    const { activity, output } = await started(() => new Promise(() => undefined), {
      effect: 'read',
    });
    activity.cancel('WORKER_SHUTDOWN', SHUTDOWN);
    await expect(output).rejects.toMatchObject({ details: [{ ended: false }] });
  });

  test('waits for a once call, which is not told', async () => {
    const finish = deferred<string>();
    let signal: AbortSignal | undefined;
    const { harness, activity, output } = await started((_, ctx) => {
      signal = ctx.signal;
      return finish.promise;
    });
    let done = false;
    const waiting = harness.running.onceCallsDone().then(() => {
      done = true;
    });
    activity.cancel('WORKER_SHUTDOWN', SHUTDOWN);
    harness.running.shutDown();
    await Promise.resolve();
    expect({ done, aborted: signal?.aborted }).toEqual({ done: false, aborted: false });
    finish.resolve('refunded');
    expect(await output).toMatchObject({ outcome: 'ok', effect: 'happened' });
    await waiting;
  });

  test("is heard from the worker's own word before Temporal says it", async () => {
    const { harness, output } = await started((_, ctx) => untilAborted(ctx.signal), {
      effect: 'read',
    });
    harness.running.shutDown();
    await expect(output).rejects.toMatchObject({ type: 'WorkerShutdown' });
    await harness.running.onceCallsDone();
  });

  test('gives way to a stop that comes while the handler ends', async () => {
    const clean = deferred();
    const { harness, activity, output } = await started(
      async (_, ctx) => {
        await aborted(ctx.signal);
        await clean.promise;
        throw ctx.signal.reason;
      },
      { effect: 'idempotent' },
    );
    harness.running.shutDown();
    activity.cancel('CANCELLED', STOPPED);
    clean.resolve();
    expect(await output).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
  });
});

describe('what is no stop of this attempt', () => {
  test("an operator's pause lets it run to its end", async () => {
    const finish = deferred<string>();
    const { activity, output } = await started(() => finish.promise);
    activity.cancel('PAUSED', PAUSED);
    finish.resolve('done');
    expect(await output).toMatchObject({ outcome: 'ok', content: 'done' });
  });
});

test('an attempt that the server gave up is told to stop, and no watcher of what it came to', async () => {
  const { harness, activity, output } = await started((_, ctx) => untilAborted(ctx.signal));
  activity.cancel('TIMED_OUT', TIMED_OUT);
  expect(await output).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
  expect(harness.events.map(({ type }) => type)).toEqual(['started']);
  expect(harness.remembered).toEqual([]);
});
