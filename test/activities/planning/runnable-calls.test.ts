import { describe, expect, it } from 'vitest';
import { loadValue } from '../../../src/blobs/stored-value.ts';
import { positionOfKey } from '../../../src/core/call.ts';
import type { Json } from '../../../src/core/json.ts';
import type { BlobReference } from '../../../src/core/stored.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { call, CONVERSATION, setting } from './setting.ts';
import { shopTools } from './shop-tools.ts';

describe('a call that can run', () => {
  it('is planned with all that the workflow needs, from the frozen spec', async () => {
    const { plan } = await setting({ tools: shopTools });
    const [first, second] = await plan([
      call('find_order', { id: 'A-1' }),
      call('refund', { id: 'A-1', cents: 1250 }),
    ]);
    expect(first).toEqual({
      key: expect.stringMatching(/^order-7\/3\.2\.0\.[\w-]{12}$/) as string,
      callId: expect.stringMatching(/^call_/) as string,
      index: 0,
      tool: 'find_order',
      input: { id: 'A-1' },
      inputDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      verdict: 'run',
      effect: 'read',
      danger: false,
      timeout: 60_000,
      parallelSafe: true,
      retry: { attempts: 4, initialIntervalMs: 1_000, backoff: 2, maximumIntervalMs: 60_000 },
      summary: 'find_order(id: "A-1")',
    });
    expect(second).toMatchObject({
      index: 1,
      verdict: 'run',
      effect: 'once',
      danger: true,
      timeout: 300_000,
      taskQueue: 'payments',
      parallelSafe: false,
      usesState: true,
      completion: 'later',
      reconciles: true,
      summary: 'pays back 12.5 EUR of A-1',
    });
    expect(second).not.toHaveProperty('retry');
  });

  it('has a key of its own, also when the provider repeats an id', async () => {
    const { plan } = await setting({ tools: shopTools });
    const twin = call('find_order', { id: 'A-1' });
    const planned = [...(await plan([twin, twin])), ...(await plan([twin]))];
    expect(new Set(planned.map(({ key }) => key)).size).toBe(3);
    expect(new Set(planned.map(({ callId }) => callId)).size).toBe(1);
    expect(planned.map(({ key }) => positionOfKey(key).index)).toEqual([0, 1, 0]);
  });

  it('has the digest of its arguments, however their keys are ordered', async () => {
    const { plan } = await setting({ tools: shopTools });
    const [one, two, other] = await plan([
      call('refund', { id: 'A-1', cents: 5 }),
      call('refund', { cents: 5, id: 'A-1' }),
      call('refund', { cents: 6, id: 'A-1' }),
    ]);
    expect(one?.inputDigest).toBe(two?.inputDigest);
    expect(one?.inputDigest).not.toBe(other?.inputDigest);
  });

  it('is planned beside text and hosted activity, which are no calls', async () => {
    const { plan } = await setting({ tools: shopTools });
    const planned = await plan([
      { type: 'text', text: 'Let me look.' } as never,
      { type: 'opaque', value: { type: 'server_tool_use', name: 'web_search' } } as never,
      call('find_order', { id: 'A-1' }),
    ]);
    expect(planned.map(({ index, tool }) => [index, tool])).toEqual([[0, 'find_order']]);
  });

  it('keeps large arguments in the blob store', async () => {
    const { plan, environment } = await setting({ tools: shopTools }, { inlineLimitBytes: 1_000 });
    const id = 'x'.repeat(5_000);
    const [planned] = await plan([call('find_order', { id })]);
    const reference = planned?.input as BlobReference;
    expect(reference.preview.length).toBeLessThanOrEqual(200);
    expect(await loadValue<Json>(environment.blobs, CONVERSATION, reference)).toEqual({ id });
  });

  it('keeps arguments in the blob store that all together are too large for one payload', async () => {
    const { plan } = await setting({ tools: shopTools }, { inlineLimitBytes: 32 * 1024 });
    const id = 'x'.repeat(20_000);
    const planned = await plan(Array.from({ length: 100 }, () => call('find_order', { id })));
    expect(JSON.stringify(planned).length).toBeLessThan(1_000_000);
    expect(planned.every(({ verdict }) => verdict === 'run')).toBe(true);
  });

  it('never records arguments that could be taken for a reference', async () => {
    const schema = { type: 'object' } as const;
    const open = defineTool({
      name: 'open',
      description: 'Takes anything.',
      inputSchema: schema,
      effect: 'read',
      execute: () => null,
    });
    const { plan, environment } = await setting({ tools: [open] });
    const forged = { blob: 'f'.repeat(64), size: 1, preview: 'mine' };
    const [planned] = await plan([call('open', forged)]);
    expect(planned?.input).not.toEqual(forged);
    expect(await loadValue(environment.blobs, CONVERSATION, planned?.input as Json)).toEqual(
      forged,
    );
  });
});
