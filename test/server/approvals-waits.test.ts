import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import type { ApprovalRequest } from '../../src/core/approval-request.ts';
import type { ApprovalOptions } from '../../src/tools/tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import {
  eventually,
  handOver,
  notesOf,
  paidIn,
  pay,
  payingAgent,
  payments,
  resultsOf,
  startWaiting,
  untilTurn,
  untilWaiting,
} from '../support/approvals.ts';
import { failedTasks } from '../support/raw-sender.ts';
import { type SkippingWorld, serveOnSkippingServer } from '../support/serve-on-skipping-server.ts';
import { findTimeSkippingServer } from '../support/time-skipping-server.ts';

/** Waits of days, on the server whose clock jumps. */

const HOUR_MS = 60 * 60 * 1000;
const ana = { id: 'ana' };

/** A tool that asks under rules of its own. */
function asks(name: string, approval: ApprovalOptions) {
  return defineTool({
    name,
    description: 'Asks.',
    inputSchema: z.object({}),
    effect: 'once',
    needsApproval: true,
    approval,
    execute: () => `did ${name}`,
  });
}

/** In whole hours. */
function hoursAfterAsking(request: ApprovalRequest | undefined, time: string | undefined): number {
  return Math.round((Date.parse(time ?? '') - Date.parse(request?.requestedAt ?? '')) / HOUR_MS);
}

const hoursGiven = (request: ApprovalRequest) => hoursAfterAsking(request, request.expiresAt);

const agents = [
  payingAgent('payer', { limits: { deadline: '1 hour' } }),
  payingAgent('timed', {
    approval: { timeout: '3 hours' },
    tools: [pay, asks('short', { timeout: '1 hour' })],
  }),
  payingAgent('strict', {
    tools: [pay, asks('fatal', { timeout: '1 hour', expire: 'fail' })],
  }),
  payingAgent('patient', {
    approval: {
      askedOf: 'clerk',
      remindAfter: '1 day',
      escalate: [
        { after: '5 days', askedOf: 'director' },
        { after: '2 days', askedOf: 'manager' },
      ],
      timeout: '7 days',
      quorum: 2,
    },
  }),
];

const server = await findTimeSkippingServer();
if ('missing' in server) {
  if (process.env['CI'] !== undefined) throw new Error(server.missing);
  console.warn(`Skipped, for there is no time-skipping server: ${server.missing}`);
}

describe.skipIf('missing' in server)('while time passes', () => {
  let world: SkippingWorld;
  beforeAll(async () => {
    if ('missing' in server) return;
    world = await serveOnSkippingServer(server.path, agents, {
      handOver: { bytes: 3_000_000, events: 60 },
    });
  });
  afterAll(() => world.end());

  const waiting = (agent: string, start: Parameters<typeof startWaiting>[2], count: number) =>
    startWaiting(world.client, agent, start, count);
  const signal = ({ id }: ConversationHandle, name: string, payload: object) =>
    world.client.temporal.workflow.getHandle(id).signal(name, payload);

  test('thirty days change nothing: no deadline, no idle timeout, no event', async () => {
    const { conversation, requests, keys } = await waiting(
      'payer',
      { message: payments(['a', 1], ['b', 2]), mode: 'chat' },
      2,
    );
    const { workflow } = world.client.temporal;
    const history = () => workflow.getHandle(conversation.id).fetchHistory();
    const before = await history();
    await world.pass('31 days');
    expect(await conversation.approvals()).toEqual(requests);
    expect(await conversation.status()).toMatchObject({ status: 'waiting_approval', pending: 2 });
    expect((await history()).events).toHaveLength(before.events?.length ?? 0);
    await conversation.approve(keys[0] ?? '', { by: ana });
    await conversation.deny(keys[1] ?? '', { by: ana });
    expect(await untilTurn(conversation, 1)).toMatch(/^paid 1 to a\n---\n\[denied\]/);
    expect((await conversation.status()).lastTurn?.stopReason).toBe('answered');
    await conversation.close();
    await conversation.result();
    expect(paidIn(conversation)).toEqual(['a 1']);
    expect(await notesOf(conversation)).toEqual([]);
  });

  test('a tool’s time, then its agent’s; a conversation shortens both, and lengthens none', async () => {
    const message = JSON.stringify([
      ['pay', { to: 'a', cents: 1 }],
      ['short', {}],
    ]);
    const { conversation, requests, keys } = await waiting('timed', { message }, 2);
    expect(requests.map(hoursGiven)).toEqual([3, 1]);
    const shortened = await waiting('timed', { message, approvalTimeout: '2 hours' }, 2);
    expect(shortened.requests.map(hoursGiven)).toEqual([2, 1]);
    await shortened.conversation.cancel();
    const start = { message: payments(['a', 1]), approvalTimeout: '4 hours' };
    const alone = await waiting('payer', start, 1);
    expect(alone.requests.map(hoursGiven)).toEqual([4]);
    const longer = await waiting('timed', start, 1);
    expect(longer.requests.map(hoursGiven)).toEqual([3]);
    await longer.conversation.cancel();
    await alone.conversation.cancel();

    await world.pass('50 minutes');
    expect(await conversation.approvals()).toHaveLength(2);
    await world.pass('15 minutes');
    await untilWaiting(conversation, 1);
    await world.pass('100 minutes');
    expect((await conversation.approvals()).map(({ key }) => key)).toEqual([keys[0]]);
    await world.pass('20 minutes');
    expect(await conversation.result()).toMatchObject({ status: 'completed' });
    expect(await resultsOf(conversation)).toEqual([
      expect.stringMatching(/^approval_expired: .*Nobody decided about the call in time/s),
      expect.stringMatching(/^approval_expired: /),
    ]);
    const { calls } = await conversation.record();
    expect(calls.map(({ decisions, attempts }) => [decisions, attempts])).toEqual([
      [[], []],
      [[], []],
    ]);
    const notes = await notesOf(conversation);
    expect(notes.map(({ code, at }) => [code, hoursAfterAsking(requests[0], at)])).toEqual([
      ['approval_expired', 1],
      ['approval_expired', 3],
    ]);
  });

  test('an expiry that is to fail ends the turn, as such, and a late verdict about it is told so', async () => {
    const message = JSON.stringify([
      ['pay', { to: 'a', cents: 1 }],
      ['fatal', {}],
    ]);
    const { conversation, keys } = await waiting('strict', { message, mode: 'chat' }, 2);
    await world.pass('61 minutes');
    await eventually(async () => (await conversation.status()).lastTurn?.stopReason).toBe(
      'approval_expired',
    );
    await signal(conversation, 'approve', { key: keys[1], by: ana });
    await signal(conversation, 'message', { content: 'and now?' });
    expect(await untilTurn(conversation, 2)).toBe('heard: and now?');
    await conversation.close();
    await conversation.result();
    expect(await resultsOf(conversation)).toEqual([
      expect.stringContaining(`the turn ended, for ${keys[1]} expired`),
      expect.stringMatching(/^approval_expired/),
    ]);
    expect(await notesOf(conversation)).toMatchObject([
      { code: 'approval_expired', details: { key: keys[1] } },
      { code: 'turn_ended', text: expect.stringMatching(/^approval_expired/) },
      { code: 'signal_refused', details: { code: 'not_pending', by: 'ana', key: keys[1] } },
    ]);
    expect(paidIn(conversation)).toEqual([]);
  });

  test('somebody is to be reminded, then others are asked, then it expires, through hand-overs', async () => {
    const { conversation, requests } = await waiting(
      'patient',
      { message: payments(['a', 1], ['b', 2]), mode: 'chat' },
      2,
    );
    const [first, second] = requests;
    const days = (n: number) =>
      new Date(Date.parse(first?.requestedAt ?? '') + n * 24 * HOUR_MS).toISOString();
    expect(first).toMatchObject({ askedOf: 'clerk', remindAt: days(1), expiresAt: days(7) });
    expect(first).not.toHaveProperty('remindedAt');
    await signal(conversation, 'approve', { key: first?.key, by: ana, verdictId: 'v' });

    const talk = () => signal(conversation, 'message', { content: 'well?' });
    await handOver(conversation, talk);
    await world.pass('25 hours');
    await eventually(async () => {
      const [waits] = await conversation.approvals();
      return hoursAfterAsking(first, waits?.remindedAt);
    }).toBe(24);
    await world.pass('1 day');
    await eventually(async () => (await conversation.approvals())[1]?.askedOf).toBe('manager');
    await handOver(conversation, talk);
    await world.pass('3 days');
    await eventually(async () => (await conversation.approvals())[0]?.askedOf).toBe('director');
    expect(await conversation.approvals()).toMatchObject([
      { ...first, askedOf: 'director', verdicts: [{ by: ana, verdictId: 'v' }] },
      { ...second, askedOf: 'director' },
    ]);
    await world.pass('2 days');
    await eventually(async () => (await conversation.status()).pending).toBe(0);
    await untilTurn(conversation, 2);
    await conversation.close();
    await conversation.result();
    expect(paidIn(conversation)).toEqual([]);
    expect(await failedTasks(world.client.temporal, conversation.id)).toEqual([]);
    const told = (code: string, words: (key: string | undefined) => string) =>
      [first, second].map((request) => ({ code, text: words(request?.key) }));
    expect(await notesOf(conversation)).toMatchObject([
      ...told('approval_reminder', (key) => `${key} still waits`),
      ...told('approval_escalated', (key) => `${key} is asked of manager now`),
      ...told('approval_escalated', (key) => `${key} is asked of director now`),
      ...told('approval_expired', (key) => `nobody decided about ${key} in time`),
    ]);
  });
});
