import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { BlobMissing } from '../../../src/blobs/blob-store.ts';
import { createCallTool } from '../../../src/activities/call-tool.ts';
import { ToolError } from '../../../src/tools/tool.ts';
import type { ActivityEnvironment } from '../../../src/activities/environment.ts';
import type { CallInput } from '../../../src/core/activity-shapes.ts';
import { buildTool, CONVERSATION, Harness, MemoryBlobs, specOf, STOPPED } from './harness.ts';

const runs: string[] = [];
const counted = (options: Parameters<typeof buildTool>[1] = {}) =>
  buildTool((_, ctx) => {
    runs.push(ctx.idempotencyKey);
    return 'done';
  }, options);

describe('a once call that Temporal starts a second time', () => {
  test('is not run, and fails with SecondStart', async () => {
    runs.length = 0;
    const harness = new Harness(counted());
    await expect(harness.call({}, harness.activity({ attempt: 2 }))).rejects.toMatchObject({
      type: 'SecondStart',
      nonRetryable: true,
      details: [{ attempt: 2 }],
    });
    expect(runs).toEqual([]);
    expect(harness.ledger).toEqual(['begin 3.2.1', 'returned 3.2.1']);
  });

  test('is not run when a reset has let Temporal count from one again', async () => {
    runs.length = 0;
    const harness = new Harness(counted());
    const again = { scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 61_000 };
    await expect(harness.call({}, harness.activity(again))).rejects.toMatchObject({
      type: 'SecondStart',
    });
    expect(runs).toEqual([]);
  });

  const lost = { input: { blob: 'f'.repeat(64), size: 5, preview: '' } };
  test.each<[string, Partial<CallInput>, Partial<ActivityEnvironment>]>([
    ['that does not know its agent', {}, { agents: new Map() }],
    ['without its arguments', lost, {}],
    ['whose store is away', lost, { blobs: Object.assign(new MemoryBlobs(), { get: away }) }],
  ])('by a worker %s is not taken for one that never began', async (_, input, environment) => {
    const harness = new Harness(counted(), { environment });
    await expect(harness.call(input, harness.activity({ attempt: 2 }))).rejects.toMatchObject({
      type: 'SecondStart',
    });
  });

  test('and stopped before anything is known is not said to have had no effect', async () => {
    const transcripts = { spec: () => new Promise(() => {}) };
    const harness = new Harness(counted(), { environment: { transcripts: transcripts as never } });
    const activity = harness.activity({ attempt: 2 });
    const refused = expect(harness.call({}, activity)).rejects.toMatchObject({
      type: 'SecondStart',
    });
    await expect.poll(() => harness.ledger).toEqual(['begin 3.2.1']);
    activity.cancel('CANCELLED', STOPPED);
    await refused;
  });

  test('is run when the workflow itself scheduled it again', async () => {
    const harness = new Harness(counted());
    expect(await harness.call({ attempt: 2 })).toMatchObject({ outcome: 'ok' });
  });

  test.each(['read', 'idempotent'] as const)('does not concern a %s call', async (effect) => {
    const harness = new Harness(counted({ effect }));
    const output = await harness.call({}, harness.activity({ attempt: 2 }));
    expect(output).toMatchObject({ outcome: 'ok' });
  });
});

describe('what earlier attempts may have done', () => {
  const failing = (effect?: 'happened' | 'unknown') =>
    buildTool(
      () => Promise.reject(new ToolError('the account is locked', effect ? { effect } : {})),
      { effect: 'idempotent' },
    );

  test.each([
    ['unknown', undefined, 'unknown'],
    ['happened', undefined, 'happened'],
    ['happened', 'unknown', 'happened'],
    ['unknown', 'happened', 'happened'],
  ] as const)('%s, stays so when the next one vouches for %s', async (earlier, own, effect) => {
    const output = await new Harness(failing(own)).call({ attempt: 2, earlier });
    expect(output).toMatchObject({ outcome: 'tool_error', effect });
    expect(output.content).not.toContain('It had no effect.');
  });

  test('is not known where Temporal itself has started the call before', async () => {
    const harness = new Harness(failing());
    const output = await harness.call({}, harness.activity({ attempt: 2 }));
    expect(output).toMatchObject({ outcome: 'tool_error', effect: 'unknown' });
  });

  test('is said of a call whose next one could not begin', async () => {
    const harness = new Harness(failing());
    const activity = harness.activity({ activityType: 'delete_all' });
    const output = await harness.call(
      { attempt: 2, earlier: 'unknown', tool: 'delete_all' },
      activity,
    );
    expect(output).toMatchObject({ outcome: 'unknown_tool', effect: 'unknown' });
  });

  test('is over when the next one returns', async () => {
    const harness = new Harness(buildTool(() => 'done', { effect: 'idempotent' }));
    const output = await harness.call({ attempt: 2, earlier: 'unknown' });
    expect(output).toMatchObject({ outcome: 'ok', effect: 'happened' });
  });
});

describe('code that this worker does not have', () => {
  test('an unknown agent fails the attempt with those that are known', async () => {
    const tool = counted();
    const harness = new Harness(tool, { spec: { ...specOf(tool), agent: 'billing' } });
    await expect(harness.call()).rejects.toMatchObject({
      type: 'NotKnownHere',
      nonRetryable: true,
      message: 'this worker does not know the agent "billing"; it knows: support',
      details: [{ known: ['support'], patienceMs: 60_000 }],
    });
  });

  test('an unknown tool fails the attempt with those of the agent', async () => {
    const old = buildTool(() => 'x', { name: 'old_tool' });
    const harness = new Harness(counted(), { spec: specOf(old) });
    const activity = harness.activity({ activityType: 'old_tool' });
    await expect(harness.call({ tool: 'old_tool' }, activity)).rejects.toMatchObject({
      type: 'NotKnownHere',
      details: [{ known: ['refund_order'], patienceMs: 60_000 }],
    });
  });

  test('a tool that the conversation never had is the result unknown_tool', async () => {
    const harness = new Harness(counted());
    const activity = harness.activity({ activityType: 'delete_all' });
    const output = await harness.call({ tool: 'delete_all' }, activity);
    expect(output).toMatchObject({ outcome: 'unknown_tool', effect: 'none' });
    expect(output.content).toContain('No tool is named "delete_all". There are: refund_order.');
  });

  test('an activity that is named otherwise than its call is not run', async () => {
    runs.length = 0;
    const harness = new Harness(counted());
    const output = await harness.call({}, harness.activity({ activityType: 'find_order' }));
    expect(output).toMatchObject({ outcome: 'unknown_tool', effect: 'none' });
    expect(runs).toEqual([]);
  });

  test("somebody else's activity is refused as not known here", async () => {
    const harness = new Harness(counted());
    const activity = harness.activity({ activityType: 'sendInvoice' });
    const callTool = createCallTool(harness.environment);
    for (const input of [{ invoice: 7 }, undefined, { ...harness.input(), key: 'no key' }]) {
      await expect(activity.run(callTool, input as never)).rejects.toMatchObject({
        type: 'NotKnownHere',
        message: expect.stringContaining('no activity "sendInvoice" is registered') as unknown,
      });
    }
  });
});

describe('what must be read before a tool begins', () => {
  test('arguments come from the blob store', async () => {
    const harness = new Harness(buildTool((input) => input));
    const bytes = Buffer.from(JSON.stringify({ order: 'x'.repeat(100) }));
    const blob = await harness.blobs.put(CONVERSATION, bytes);
    const output = await harness.call({ input: { blob, size: bytes.length, preview: '' } });
    expect(output.content).toBe(bytes.toString());
  });

  test('arguments that are lost settle the call and are named', async () => {
    runs.length = 0;
    const harness = new Harness(counted());
    const blob = 'f'.repeat(64);
    const output = await harness.call({ input: { blob, size: 5, preview: '' } });
    expect(output).toMatchObject({ outcome: 'tool_failed', effect: 'none' });
    expect(output.content).toContain(`blob ${blob} of conversation "order-7" is not in the store`);
    expect(runs).toEqual([]);
  });

  test('a store that is away fails the attempt before the tool began', async () => {
    runs.length = 0;
    const harness = new Harness(counted());
    harness.blobs.get = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const input = { blob: 'f'.repeat(64), size: 5, preview: '' };
    await expect(harness.call({ input })).rejects.toMatchObject({
      type: 'StoreUnavailable',
      nonRetryable: true,
    });
    expect(runs).toEqual([]);
    expect(harness.ledger).toEqual(['begin 3.2.1', 'returned 3.2.1']);
  });

  test('an attempt is in the ledger while what it needs is still being read', async () => {
    const transcripts = { spec: () => new Promise(() => {}) };
    const harness = new Harness(counted(), { environment: { transcripts: transcripts as never } });
    void harness.call();
    await expect.poll(() => harness.ledger).toEqual(['begin 3.2.1']);
  });

  test('a spec whose blob is gone settles the call, which names the blob and does not run', async () => {
    const missing = new BlobMissing('order-7', 'a'.repeat(64), 'absent');
    const transcripts = { spec: () => Promise.reject(missing), remember: () => {} };
    runs.length = 0;
    const harness = new Harness(counted(), { environment: { transcripts: transcripts as never } });
    const output = await harness.call();
    expect(runs).toEqual([]);
    expect(output).toMatchObject({ outcome: 'tool_failed', effect: 'none' });
    expect(JSON.stringify(output)).toContain(`blob ${'a'.repeat(64)} of conversation`);
  });

  test('a spec that cannot be read fails the attempt before the tool began', async () => {
    const transcripts = { spec: () => Promise.reject(new Error('no history')) };
    const harness = new Harness(counted(), { environment: { transcripts: transcripts as never } });
    await expect(harness.call()).rejects.toMatchObject({
      type: 'StoreUnavailable',
      message:
        'the spec spec-digest of conversation "order-7" could not be read: Error: no history',
    });
  });
});

describe("a tool whose schema refuses what the conversation's schema allowed", () => {
  test('is invalid_input, saying that the tool has changed, with all problems', async () => {
    const parse = () => Promise.resolve({ problems: ['/order: expected text', '/sum: required'] });
    const harness = new Harness(counted({ parse }));
    runs.length = 0;
    const output = await harness.call();
    expect(output).toMatchObject({ outcome: 'invalid_input', effect: 'none' });
    expect(output.content).toContain(
      'The tool has changed since this conversation began:\n/order: expected text\n/sum: required',
    );
    expect(runs).toEqual([]);
  });

  test('and throws while it parses is tool_failed without effect', async () => {
    const parse = () => Promise.reject(new Error('no connection'));
    const output = await new Harness(counted({ parse })).call();
    expect(output).toMatchObject({ outcome: 'tool_failed', effect: 'none' });
    expect(output.content).toContain('Its input schema failed: Error: no connection');
  });

  test('hands its own output to execute', async () => {
    const parse = () => Promise.resolve({ value: { order: 'parsed' } });
    const output = await new Harness(buildTool((input) => input, { parse })).call();
    expect(output.content).toBe('{"order":"parsed"}');
  });
});

describe('a transient failure', () => {
  const refused = (): Error =>
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

  test.each(['read', 'idempotent'] as const)('of a %s tool fails the attempt', async (effect) => {
    const error = new ToolError('the shop is busy', { retryable: true });
    const harness = new Harness(buildTool(() => Promise.reject(error), { effect }));
    await expect(harness.call()).rejects.toMatchObject({
      type: 'Transient',
      nonRetryable: true,
      message: 'the shop is busy',
      details: [
        {
          message: 'the shop is busy',
          outcome: { outcome: 'tool_error', effect: 'none', message: 'the shop is busy' },
        },
      ],
    });
    expect(harness.remembered).toEqual([]);
  });

  test('has a message that is clean and cut between two characters', async () => {
    const error = new ToolError(`\0${'x'.repeat(1_998)}😀`, { retryable: true });
    const harness = new Harness(buildTool(() => Promise.reject(error), { effect: 'read' }));
    const message = `\ufffd${'x'.repeat(1_998)}`;
    await expect(harness.call()).rejects.toMatchObject({
      message,
      details: [{ message, outcome: { message } }],
    });
  });

  test('of a once tool is final', async () => {
    const error = new ToolError('the shop is busy', { retryable: true });
    const output = await new Harness(buildTool(() => Promise.reject(error))).call();
    expect(output).toMatchObject({ outcome: 'tool_error', effect: 'none' });
  });

  test.each([
    ['a refused connection', refused()],
    ['fetch without an answer', new TypeError('fetch failed', { cause: refused() })],
    [
      'several addresses that refuse',
      new TypeError('fetch failed', { cause: new AggregateError([refused(), refused()]) }),
    ],
    ['an unknown host', Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })],
    ['a slow connect', Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' })],
  ])('is %s', async (_, error) => {
    const read = new Harness(buildTool(() => Promise.reject(error), { effect: 'read' }));
    await expect(read.call()).rejects.toMatchObject({
      type: 'Transient',
      details: [{ outcome: { outcome: 'tool_failed', effect: 'none' } }],
    });
    const idempotent = new Harness(
      buildTool(() => Promise.reject(error), { effect: 'idempotent' }),
    );
    await expect(idempotent.call()).rejects.toMatchObject({
      details: [{ outcome: { outcome: 'tool_failed', effect: 'unknown' } }],
    });
    const once = new Harness(buildTool(() => Promise.reject(error)));
    expect(await once.call()).toMatchObject({ outcome: 'tool_failed', effect: 'unknown' });
  });

  test('is what fetch throws where nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const read = () => fetch(`http://127.0.0.1:${port}/`);
    const harness = new Harness(buildTool(read, { effect: 'read' }));
    await expect(harness.call()).rejects.toMatchObject({ type: 'Transient' });
  });

  test.each([
    ['a response that broke off', Object.assign(new TypeError('terminated'), { cause: refused() })],
    ['another system error', Object.assign(new Error('no file'), { code: 'ENOENT' })],
    ['an answer that says no', new Error('HTTP 500')],
  ])('is not %s', async (_, error) => {
    const harness = new Harness(buildTool(() => Promise.reject(error), { effect: 'read' }));
    expect(await harness.call()).toMatchObject({ outcome: 'tool_failed', effect: 'none' });
  });
});

function away(): Promise<never> {
  return Promise.reject(new Error('connect ECONNREFUSED'));
}
