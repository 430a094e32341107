import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConversationHandle } from '../../src/client/index.ts';
import {
  eventually,
  expectNoFailedTask,
  handOver,
  notesOf,
  paidIn,
  payingAgent,
  payments,
  resultsOf,
  startWaiting,
  untilTurn,
  untilWaiting,
} from '../support/approvals.ts';
import { heldSegments } from '../support/held-segments.ts';
import { serveAgents } from '../support/serve-agents.ts';

/** Approvals that wait while their conversation goes on as a new run. */

const ana = { id: 'ana' };
const ben = { id: 'ben' };

const blobs = heldSegments(await mkdtemp(join(tmpdir(), 'perdure-held-')));
const served = serveAgents({
  agents: [
    payingAgent('payer'),
    payingAgent('two_people', { approval: { quorum: 2 } }),
    payingAgent('hurried', { runAsDecided: true }),
    payingAgent('answered', { approval: { onMessageWhileWaiting: 'deny' } }),
  ],
  blobs,
  internals: { handOver: { bytes: 3_000_000, events: 45 } },
});

const waiting = (agent: string, start: Parameters<typeof startWaiting>[2], count: number) =>
  startWaiting(served.client, agent, start, count);

/** A verdict about nothing fills the history, and changes nothing. */
const fill = ({ id }: ConversationHandle) => {
  return served.client.temporal.workflow.getHandle(id).signal('deny', { key: 'nothing', by: ana });
};

const nextRun = (conversation: ConversationHandle) =>
  handOver(conversation, () => fill(conversation));

describe('a new run', () => {
  test('keeps votes, changed arguments and the answers to verdicts that are sent again', async () => {
    const { conversation, keys } = await waiting(
      'two_people',
      { message: payments(['a', 1], ['b', 2], ['c', 3]) },
      3,
    );
    const [a = '', b = '', c = ''] = keys;
    const voted = await conversation.approve(a, { by: ana, verdictId: 'a' });
    const superseded = await conversation.approve(b, { by: ana, verdictId: 'b' });
    await conversation.approve(b, { by: ben, input: { to: 'b', cents: 20 } });
    // Decided, and yet to run: the batch waits.
    const edited = { by: ana, input: { to: 'c', cents: 30 }, verdictId: 'c' };
    await conversation.approve(c, edited);
    const [, , request] = await conversation.approvals();
    await conversation.approve(c, { by: ben, digest: request?.digest });
    const before = await conversation.approvals();
    await nextRun(conversation);
    await nextRun(conversation);

    expect(await conversation.approvals()).toEqual(before);
    expect(await conversation.approve(a, { by: ana, verdictId: 'a' })).toMatchObject({
      at: 'at' in voted ? voted.at : '',
    });
    expect(await conversation.approve(b, { by: ana, verdictId: 'b' })).toMatchObject({
      at: 'at' in superseded ? superseded.at : '',
    });
    await expect(conversation.deny(c, { by: ana })).rejects.toMatchObject({
      code: 'already_decided',
      details: { by: ben },
    });
    await expect(conversation.approve(b, { by: ana })).rejects.toMatchObject({
      code: 'digest_mismatch',
    });
    await conversation.approve(b, { by: ana, digest: before[1]?.digest });
    await conversation.approve(a, { by: ben });
    await conversation.result();
    expect(new Set(paidIn(conversation))).toEqual(new Set(['a 1', 'b 20', 'c 30']));
    expect(paidIn(conversation)).toHaveLength(3);
    const { calls } = await conversation.record();
    expect(calls.map(({ effectiveInput }) => effectiveInput)).toEqual([
      undefined,
      { to: 'b', cents: 20 },
      { to: 'c', cents: 30 },
    ]);
    await expectNoFailedTask(conversation);
  });

  test('keeps what was remembered, until it is taken back', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1], ['b', 2]), mode: 'chat' },
      2,
    );
    const remember = { scope: 'conversation', match: 'exact' } as const;
    await conversation.approve(keys[0] ?? '', { by: ana, remember });
    await nextRun(conversation);
    await conversation.deny(keys[1] ?? '', { by: ana });
    await untilTurn(conversation, 1);
    await conversation.send(payments(['a', 1]));
    expect(await untilTurn(conversation, 2)).toBe('paid 1 to a');
    const [rule] = (await conversation.status()).rules;
    await conversation.revoke(rule?.id ?? '', { by: ben });
    await conversation.send(payments(['a', 1]));
    await untilWaiting(conversation, 1);
    expect(paidIn(conversation)).toEqual(['a 1', 'a 1']);
    await conversation.cancel();
  });

  test('keeps the result of a free call that ran as decided', async () => {
    const message = JSON.stringify([
      ['look', { at: 'sea' }],
      ['pay', { to: 'a', cents: 1 }],
    ]);
    const { conversation, keys } = await waiting('hurried', { message }, 1);
    await nextRun(conversation);
    await conversation.approve(keys[0] ?? '', { by: ana });
    expect((await conversation.result()).text).toBe('saw sea\n---\npaid 1 to a');
    expect(paidIn(conversation)).toEqual(['sea 0', 'a 1']);
  });

  test('of a call that a message denies while it is handed over: it is denied, and said to be', async () => {
    const start = { message: payments(['a', 1]), mode: 'chat' as const };
    const { conversation, keys } = await waiting('answered', start, 1);
    await nextRun(conversation);
    blobs.hold();
    await eventually(async () => {
      await fill(conversation);
      return (await conversation.status()).status;
    }).toBe('handing_over');
    expect(await conversation.send('rather not', { id: 'm' })).toMatchObject({
      turn: 1,
      state: 'denied_pending',
    });
    await expect(conversation.approve(keys[0] ?? '', { by: ana })).rejects.toMatchObject({
      code: 'not_pending',
    });
    blobs.release();
    expect(await untilTurn(conversation, 1)).toBe('heard: rather not');
    await conversation.close();
    await conversation.result();
    expect(await resultsOf(conversation)).toEqual([
      expect.stringContaining('The user sent a message instead (m).'),
    ]);
    expect(paidIn(conversation)).toEqual([]);
    expect(new Set((await notesOf(conversation)).map(({ code }) => code))).toEqual(
      new Set(['signal_refused']),
    );
    await expectNoFailedTask(conversation);
  });
});

test('a stream of other arguments that do not fit does not hold up the hand-over, and what fits is taken', async () => {
  const start = { message: payments(['a', 1]), mode: 'chat' as const };
  const { conversation, keys } = await waiting('payer', start, 1);
  const [key = ''] = keys;
  const handle = served.client.temporal.workflow.getHandle(conversation.id);
  const { runId } = await conversation.describe();
  const verdict = { decision: 'approve', key, by: ana, input: { to: 5 } };
  let isOver = false;
  const refused = new Set<unknown>();
  const send = async () => {
    while (!isOver) {
      await handle
        .executeUpdate('decide', { args: [verdict] })
        .catch(({ cause }) => refused.add(cause?.details?.[0]?.code));
    }
  };
  const sending = Promise.all(Array.from({ length: 30 }, send));
  try {
    await eventually(async () => (await conversation.describe()).runId).not.toBe(runId);
  } finally {
    isOver = true;
    await sending;
  }
  expect(refused).toContain('invalid_input');
  await conversation.approve(key, { by: ben, input: { to: 'a', cents: 2 } });
  expect(await untilTurn(conversation, 1)).toMatch(/^paid 2 to a/);
  await conversation.close();
  await conversation.result();
  expect(paidIn(conversation)).toEqual(['a 2']);
  await expectNoFailedTask(conversation);
});
