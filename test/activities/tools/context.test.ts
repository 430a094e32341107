import { describe, expect, test } from 'vitest';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { buildTool, CONVERSATION, Harness, KEY, specOf } from './harness.ts';

async function contextOf(options: Parameters<typeof buildTool>[1] = {}, input = {}, info = {}) {
  let seen: ToolContext<never> | undefined;
  const harness = new Harness(
    buildTool((_, ctx) => {
      seen = ctx;
      return 'done';
    }, options),
  );
  await harness.call(input, harness.activity(info));
  if (seen === undefined) throw new Error('the tool did not run');
  return { ctx: seen, harness };
}

describe('the context of a tool', () => {
  test('says which call of which conversation it is', async () => {
    const { ctx } = await contextOf();
    expect(ctx).toMatchObject({
      deps: { ledger: 'a dependency' },
      context: { tenant: 'acme' },
      conversationId: CONVERSATION,
      callId: 'call_1',
      idempotencyKey: KEY,
      attempt: 1,
      state: null,
    });
    expect(ctx.completionToken).toBeUndefined();
  });

  test('counts attempts over schedules and starts', async () => {
    const { ctx } = await contextOf({ effect: 'read' }, { attempt: 3 }, { attempt: 2 });
    expect(ctx.attempt).toBe(4);
  });

  test('has the state only for tools that declare it, as a copy', async () => {
    const state = { cart: [1] };
    const { ctx } = await contextOf({ usesState: true }, { state });
    expect(ctx.state).toEqual(state);
    (ctx.state as { cart: number[] }).cart.push(2);
    expect(state).toEqual({ cart: [1] });
    expect((await contextOf({}, { state })).ctx.state).toBeNull();
  });

  test('has a copy of the conversation context: changing it changes nothing for others', async () => {
    const tool = buildTool((_, ctx) => {
      const context = ctx.context as { tenant: string };
      const { tenant } = context;
      context.tenant = 'evil';
      return tenant;
    });
    const harness = new Harness(tool, { spec: specOf(tool) });
    await harness.call();
    expect((await harness.call()).content).toBe('acme');
  });

  test('logs with the call key', async () => {
    const harness = new Harness(
      buildTool((_, ctx) => {
        ctx.log.info('refunding', { order: 7 });
        ctx.log.error('oh');
      }),
    );
    await harness.call();
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'INFO',
        message: 'refunding',
        meta: expect.objectContaining({
          order: 7,
          key: KEY,
          activityType: 'refund_order',
        }) as unknown,
      }),
    );
  });
});

describe('emit', () => {
  const progress = (harness: Harness): unknown[] =>
    harness.events.filter(({ type }) => type === 'progress');

  test('tells watchers of progress, in order', async () => {
    const harness = new Harness(
      buildTool((_, ctx) => {
        ctx.emit('upload', [{ op: 'add', path: '/percent', value: 10 }]);
        ctx.emit('upload', [{ op: 'replace', path: '/percent', value: 20 }]);
      }),
    );
    await harness.call();
    expect(progress(harness)).toMatchObject([
      { key: KEY, activityType: 'upload', patch: [{ value: 10 }] },
      { patch: [{ value: 20 }] },
    ]);
  });

  test('does nothing once the tool has returned', async () => {
    const { ctx, harness } = await contextOf();
    ctx.emit('upload', [{ op: 'add', path: '/percent', value: 100 }]);
    expect(progress(harness)).toEqual([]);
  });

  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  test.each([
    ['too large', [{ op: 'add', path: '/x', value: 'x'.repeat(70_000) }]],
    ['no list', 'half'],
    ['cyclic', cyclic],
    ['without JSON', [{ op: 'add', path: '/x', value: 1n }]],
  ])('drops what is %s, and the tool goes on', async (_, patch) => {
    const harness = new Harness(buildTool((__, ctx) => ctx.emit('x', patch as never)));
    expect(await harness.call()).toMatchObject({ outcome: 'ok' });
    expect(progress(harness)).toEqual([]);
  });
});
