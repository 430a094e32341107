import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ConversationHandle, PerdureRefusal } from '../../src/client/index.ts';
import {
  eventually,
  expectNoFailedTask,
  notesOf,
  paid,
  paidIn,
  payingAgent,
  payments,
  resultsOf,
  startWaiting,
  untilTurn,
} from '../support/approvals.ts';
import { serveAgents } from '../support/serve-agents.ts';

const ana = { id: 'ana' };
const ben = { id: 'ben', name: 'Ben', via: 'test' };

const served = serveAgents({
  agents: [
    payingAgent('payer'),
    payingAgent('hurried', { runAsDecided: true }),
    payingAgent('strict', { approval: { timeout: 700, expire: 'fail' } }),
    payingAgent('answered', { approval: { onMessageWhileWaiting: 'deny' } }),
    payingAgent('undecided', {
      policy: ({ tool }) => (tool === 'pay' ? new Promise(() => {}) : 'allow'),
    }),
    payingAgent('guarded', {
      policy: ({ input }) => (input['cents'] === 666 ? { deny: 'never this' } : 'ask'),
    }),
  ],
});

/** Begins with the first test, and is looked at by the last: what hangs is waited for ten seconds. */
let hung: Promise<ConversationHandle> | undefined;
beforeAll(() => {
  hung = served.client.start('undecided', {
    message: JSON.stringify([
      ['pay', { to: 'a', cents: 1 }],
      ['look', { at: 'sea' }],
    ]),
  });
});

const waiting = (agent: string, start: Parameters<typeof startWaiting>[2], count: number) =>
  startWaiting(served.client, agent, start, count);

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error: unknown) => (error instanceof PerdureRefusal ? error.code : String(error)),
  );

describe('calls of one batch', () => {
  test('approved, denied, edited and expired have four results in call order, each right', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      {
        message: JSON.stringify([
          ['pay', { to: 'a', cents: 1 }],
          ['pay', { to: 'b', cents: 2 }],
          ['pay', { to: 'c', cents: 3 }],
          ['pay_fast', { to: 'd', cents: 4 }],
        ]),
      },
      3,
    );
    const [first = '', second = '', third = ''] = keys;
    // Answered in another order than they were asked.
    await conversation.approve(third, { by: ben, input: { to: 'c', cents: 30 }, reason: 'more' });
    await conversation.deny(second, { by: ana, reason: 'b is no "friend" of ours' });
    await conversation.approve(first, { by: ana });
    const { text } = await conversation.result();
    expect(text).toBe(
      [
        'paid 1 to a',
        '[denied] The call was denied; it did not run.\nA person denied it and said: b is no "friend" of ours',
        'paid 30 to c\n[A person changed the arguments of this call before it ran.]',
        '[approval_expired] Nobody decided about the call in time; it did not run.',
      ].join('\n---\n'),
    );
    expect(paidIn(conversation)).toEqual(['a 1', 'c 30']);
    const { calls } = await conversation.record();
    expect(
      calls.map(({ decisions }) => decisions.map(({ decision, by }) => [decision, by])),
    ).toEqual([[['approve', ana]], [['deny', ana]], [['approve', ben]], []]);
    const edited = calls[2];
    expect(edited?.planned.input).toEqual({ to: 'c', cents: 3 });
    expect(edited?.effectiveInput).toEqual({ to: 'c', cents: 30 });
    expect((await notesOf(conversation)).map(({ code: of }) => of)).toEqual(['approval_expired']);
    await expectNoFailedTask(conversation);
  });

  test('a request says all that a person needs', async () => {
    const { conversation, requests } = await waiting(
      'payer',
      { message: payments(['a', 1]), approvalTimeout: '1 hour' },
      1,
    );
    expect(requests).toEqual([
      {
        kind: 'call',
        key: expect.stringMatching(new RegExp(`^${conversation.id}/1\\.1\\.0\\.`)),
        callId: 'call_0_0',
        tool: 'pay',
        input: { to: 'a', cents: 1 },
        // SHA-256 of {"cents":1,"to":"a"}, the arguments' RFC 8785 form.
        digest: createHash('sha256').update('{"cents":1,"to":"a"}').digest('hex'),
        summary: 'pay 1 to a',
        danger: true,
        reason: 'the tool asks',
        requestedAt: expect.any(String),
        expiresAt: expect.any(String),
        verdicts: [],
      },
    ]);
    await conversation.cancel();
  });

  test('that are free do not run before the batch is decided, and at once with runAsDecided', async () => {
    const message = JSON.stringify([
      ['look', { at: 'sea' }],
      ['pay', { to: 'a', cents: 1 }],
    ]);
    const patient = await waiting('payer', { message }, 1);
    expect(paidIn(patient.conversation)).toEqual([]);
    const hurried = await waiting('hurried', { message }, 1);
    await eventually(() => paidIn(hurried.conversation)).toEqual(['sea 0']);
    for (const { conversation, keys } of [patient, hurried]) {
      await conversation.approve(keys[0] ?? '', { by: ana });
      expect((await conversation.result()).text).toBe('saw sea\n---\npaid 1 to a');
      expect(paidIn(conversation)).toEqual(['sea 0', 'a 1']);
    }
  });

  test('whose arguments do not fit are not asked about: the model reads the schema’s words', async () => {
    const conversation = await served.client.start('payer', {
      message: JSON.stringify([['pay', { to: 5, cents: -1 }]]),
    });
    const { text } = await conversation.result();
    expect(text).toContain('[invalid_input]');
    expect(text).toContain('/to: must be string');
    expect(text).toContain('/cents');
    expect((await conversation.record()).calls[0]?.planned.verdict).toHaveProperty('settled');
  });

  test('that a policy denies never reach a person, remembered rule or not', async () => {
    const { conversation, keys } = await waiting(
      'guarded',
      { message: payments(['a', 1], ['b', 666]), mode: 'chat' },
      1,
    );
    await conversation.approve(keys[0] ?? '', { by: ana, remember: 'conversation' });
    await eventually(async () => (await conversation.status()).lastTurn?.text).toBe(
      "paid 1 to a\n---\n[denied] The call was denied; it did not run.\nDenied by the agent's policy: never this",
    );
    await conversation.send(payments(['c', 666], ['d', 2]));
    await untilTurn(conversation, 2);
    expect(paidIn(conversation)).toEqual(['a 1', 'd 2']);
    await conversation.close();
    await conversation.result();
  });

  test('that expire with expire: fail end the turn; what waits beside them is settled', async () => {
    const conversation = await served.client.start('strict', {
      message: payments(['a', 1], ['b', 2]),
    });
    await expect(conversation.result()).rejects.toMatchObject({ type: 'ApprovalExpired' });
    const results = await resultsOf(conversation);
    expect(results).toHaveLength(2);
    expect(results[0]).toMatch(/^approval_expired/);
    expect(results[1]).toMatch(/^(approval_expired|cancelled)/);
    expect(paidIn(conversation)).toEqual([]);
  });
});

describe('while it waits', () => {
  test('a message is queued by default, and said to be', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    expect(await conversation.send('well?')).toMatchObject({ turn: 2, state: 'queued' });
    expect(await conversation.approvals()).toHaveLength(1);
    await conversation.approve(keys[0] ?? '', { by: ana });
    await eventually(async () => (await conversation.status()).lastTurn?.text).toBe('heard: well?');
    expect(paidIn(conversation)).toEqual(['a 1']);
    await conversation.close();
    await conversation.result();
  });

  test('a message denies where the agent says so, says so, and enters the running turn', async () => {
    // A chat: a task could have ended, and be closed, before the late verdict comes.
    const start = { message: payments(['a', 1]), mode: 'chat' as const };
    const { conversation, keys } = await waiting('answered', start, 1);
    expect(await conversation.send('rather not', { id: 'm-7' })).toMatchObject({
      turn: 1,
      state: 'denied_pending',
    });
    expect(await code(conversation.approve(keys[0] ?? '', { by: ana }))).toBe('not_pending');
    await conversation.close();
    expect(await conversation.result()).toMatchObject({ turns: 1, text: 'heard: rather not' });
    expect(await resultsOf(conversation)).toEqual([expect.stringContaining('m-7')]);
    expect(paidIn(conversation)).toEqual([]);
  });

  test.each([
    ['stop', 'the turn was stopped by "boss": not today.'],
    ['cancel', 'the conversation was cancelled.'],
  ] as const)('%s settles every request, and says which it was', async (how, words) => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1], ['b', 2]), mode: 'chat' },
      2,
    );
    const editing = conversation.approve(keys[0] ?? '', { by: ana }).then(() => undefined);
    await editing;
    if (how === 'stop') {
      await conversation.stop({ by: { id: 'boss' }, reason: 'not today' });
      await eventually(async () => (await conversation.status()).lastTurn).toMatchObject({
        stopReason: 'stopped',
      });
      expect(await code(conversation.approve(keys[1] ?? '', { by: ben }))).toBe('not_pending');
      expect(await code(conversation.approve(keys[0] ?? '', { by: ben }))).toBe('already_decided');
      expect((await conversation.status()).pending).toBe(0);
      await conversation.send('still there?');
      await eventually(async () => (await conversation.status()).lastTurn?.text).toMatch(
        /still there\?$/,
      );
      await conversation.close();
      await conversation.result();
    } else {
      await conversation.cancel();
      await expect(conversation.result()).rejects.toMatchObject({ end: 'cancelled' });
      await expect(conversation.approve(keys[1] ?? '', { by: ben })).rejects.toMatchObject({
        name: 'ConversationClosed',
      });
    }
    const results = await resultsOf(conversation);
    expect(results[0]).toMatch(/^cancelled: .*It had not begun/s);
    expect(results[1]).toContain(`It was still waiting for approval: ${words}`);
    expect(paidIn(conversation)).toEqual([]);
    await expectNoFailedTask(conversation);
  });

  test('a stop with a reason of megabytes stops, and no more', async () => {
    const { conversation } = await waiting(
      'payer',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    await conversation.stop({ reason: 'x'.repeat(1_900_000) });
    await eventually(async () => (await conversation.status()).lastTurn?.stopReason).toBe(
      'stopped',
    );
    await conversation.send('and?');
    await eventually(async () => (await conversation.status()).lastTurn?.text).toMatch(/and\?$/);
    await conversation.close();
    await conversation.result();
    await expectNoFailedTask(conversation);
  });

  test('close lets the turn and its approvals finish', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    await conversation.close();
    await expect(conversation.send('more')).rejects.toMatchObject({ code: 'closed' });
    await conversation.approve(keys[0] ?? '', { by: ana });
    expect(await conversation.result()).toMatchObject({
      stopReason: 'closed',
      text: 'paid 1 to a',
    });
  });

  test('status and search attributes say so, and no longer once it is decided', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    const info = () => conversation.describe();
    await eventually(info).toMatchObject({ status: 'waiting_approval', pending: 1 });
    expect(await conversation.status()).not.toHaveProperty('lastTurn');
    await conversation.approve(keys[0] ?? '', { by: ana });
    await eventually(info).toMatchObject({ status: 'waiting_input', pending: 0 });
    expect((await conversation.status()).lastTurn).toMatchObject({
      turn: 1,
      stopReason: 'answered',
      text: 'paid 1 to a',
    });
    await conversation.close();
    await conversation.result();
  });
});

describe('a verdict', () => {
  test('that is sent again by its sender is answered as the first time, also when all is over', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    const [key = ''] = keys;
    const verdict = { by: ana, verdictId: 'once' };
    const first = await conversation.approve(key, verdict);
    await untilTurn(conversation, 1);
    expect(await conversation.approve(key, verdict)).toEqual(first);
    // Without the help of the update's id, too.
    const { workflow } = served.client.temporal;
    const again = await workflow.getHandle(conversation.id).executeUpdate('decide', {
      args: [{ decision: 'approve', key, ...verdict }],
    });
    expect({ via: 'update', verdictId: 'once', ...(again as object) }).toEqual(first);
    // The id of one verdict does not make another person's the same.
    expect(await code(conversation.deny(key, { by: ana, verdictId: 'once' }))).toBe(
      'already_decided',
    );
    expect(await code(conversation.approve(key, { by: ben, verdictId: 'once' }))).toBe(
      'already_decided',
    );
    expect(await code(conversation.approve(key, { by: ben }))).toBe('already_decided');
    await conversation.close();
    await conversation.result();
    expect(paidIn(conversation)).toEqual(['a 1']);
  });

  test('with arguments that look like what history keeps large ones by is judged by them', async () => {
    const { conversation, keys } = await waiting('payer', { message: payments(['a', 1]) }, 1);
    const input = { blob: 'f'.repeat(64), size: 1, preview: '' };
    await expect(conversation.approve(keys[0] ?? '', { by: ana, input })).rejects.toMatchObject({
      details: { problems: expect.arrayContaining([expect.stringContaining('/blob')]) },
    });
    await conversation.cancel();
  });

  test('with arguments of the wrong shape is refused with all problems; the request waits on', async () => {
    const { conversation, keys } = await waiting('payer', { message: payments(['a', 1]) }, 1);
    const [key = ''] = keys;
    const refused = conversation.approve(key, { by: ana, input: { to: 7, cents: 0, extra: 1 } });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      details: { problems: expect.arrayContaining([expect.stringContaining('/to')]), key },
    });
    expect(await conversation.approvals()).toHaveLength(1);
    await conversation.approve(key, { by: ana, input: { to: 'a', cents: 1 } });
    expect((await conversation.result()).text).toBe('paid 1 to a');
    const notes = await notesOf(conversation);
    expect(notes).toMatchObject([
      {
        code: 'verdict_refused',
        at: expect.any(String),
        details: { code: 'invalid_input', by: 'ana', key, from: 'update' },
      },
    ]);
  });

  test('may have arguments of megabytes, and the call runs with them', async () => {
    const { conversation, keys } = await waiting('payer', { message: payments(['a', 1]) }, 1);
    const to = 'x'.repeat(1_500_000);
    await conversation.approve(keys[0] ?? '', { by: ana, input: { to, cents: 1 } });
    expect(await conversation.result()).toMatchObject({ status: 'completed' });
    expect(paid.find(({ conversationId }) => conversationId === conversation.id)?.to).toHaveLength(
      to.length,
    );
    await expectNoFailedTask(conversation);
  });
});

describe('calls', () => {
  test('that the policy does not decide within ten seconds do not run; the others do', async () => {
    const conversation = await hung;
    if (conversation === undefined) throw new Error('it was started before');
    expect((await conversation.result()).text).toMatch(
      /^\[approval_failed\].*it gave no answer within 10000 ms\n---\nsaw sea$/s,
    );
    expect(paidIn(conversation)).toEqual(['sea 0']);
  });
});
