import { describe, expect, test } from 'vitest';
import type { ConversationHandle } from '../../src/client/index.ts';
import type { ApprovalRequest } from '../../src/core/approval-request.ts';
import { desk } from '../cli/agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from './soon.ts';

const served = serveAgents({ agents: [desk] });
const ana = { id: 'ana' };
const ben = { id: 'ben', name: 'Ben', via: 'test' };

async function waiting(): Promise<{ task: ConversationHandle; request: ApprovalRequest }> {
  const task = await served.client.start('desk', { message: 'A-1' });
  await expect.poll(async () => (await task.approvals()).length, SOON).toBe(1);
  const [request] = await task.approvals();
  if (request === undefined) throw new Error('nothing waits');
  return { task, request };
}

describe('a verdict', () => {
  test('by key is answered with what holds, and the call runs', async () => {
    const { task, request } = await waiting();
    const receipt = await task.approve(request.key, { by: ana, digest: request.digest });
    expect(receipt).toMatchObject({
      via: 'update',
      decision: 'approve',
      key: request.key,
      by: ana,
    });
    expect(await task.result()).toMatchObject({ text: 'refunded' });
  });

  test('by the provider’s call id works where only one call has it', async () => {
    const { task, request } = await waiting();
    const receipt = await task.deny(request.callId ?? '', { by: ana, reason: 'too much' });
    expect(receipt).toMatchObject({ decision: 'deny', key: request.key });
    expect((await task.result()).text).toMatch(/not refunded.*too much/s);
  });

  test('sent again with its id answers as the first time', async () => {
    const { task, request } = await waiting();
    const verdict = { by: ana, verdictId: 'v1' };
    const first = await task.approve(request.key, verdict);
    expect(await task.approve(request.key, verdict)).toEqual(first);
    await task.result();
  });

  test('of two at the same moment one holds; the other learns who decided, and when', async () => {
    const { task, request } = await waiting();
    const answers = await Promise.allSettled([
      task.approve(request.key, { by: ana }),
      task.deny(request.key, { by: ben }),
    ]);
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([
      {
        reason: {
          name: 'PerdureRefusal',
          code: 'already_decided',
          details: { key: request.key, by: expect.any(Object), at: expect.any(String) },
        },
      },
    ]);
    await task.result();
  });

  test('with arguments that do not fit is refused with all problems, and the call still waits', async () => {
    const { task, request } = await waiting();
    const editing = task.approve(request.key, { by: ana, input: { order: 5, cents: -1 } });
    await expect(editing).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await task.approvals()).toHaveLength(1);
    const edited = { by: ana, input: { order: 'A-1', cents: 100 } };
    await task.approve(request.key, edited);
    await task.result();
    const { calls } = await task.record();
    const refund = calls.find(({ planned }) => planned.tool === 'refund');
    expect(refund?.effectiveInput).toEqual({ order: 'A-1', cents: 100 });
  });

  test('about other arguments than were seen, or another call, is refused', async () => {
    const { task, request } = await waiting();
    const other = task.approve(request.key, { by: ana, digest: 'f'.repeat(64) });
    await expect(other).rejects.toMatchObject({ code: 'digest_mismatch' });
    await expect(task.approve(`${task.id}/9.9.0.x`, { by: ana })).rejects.toMatchObject({
      code: 'unknown_call',
    });
    await task.cancel();
  });
});
