import { describe, expect, test } from 'vitest';
import { PerdureClient, PerdureRefusal } from '../../src/client/index.ts';
import {
  eventually,
  notesOf,
  paidIn,
  payingAgent,
  payments,
  startWaiting,
  untilTurn,
  untilWaiting,
} from '../support/approvals.ts';
import { serveAgents } from '../support/serve-agents.ts';

const ana = { id: 'ana' };
const ben = { id: 'ben', name: 'Ben', via: 'test' };

const served = serveAgents({
  agents: [
    payingAgent('payer'),
    payingAgent('two_people', { approval: { quorum: 2, notBy: 'starter' } }),
    payingAgent('spender', {
      limits: { maxSteps: 1 },
      onLimit: 'ask',
      approval: { askedOf: 'boss', quorum: 2 },
    }),
    payingAgent('nagging', {
      approval: {
        askedOf: 'clerk',
        remindAfter: 1_000,
        escalate: [{ after: 1_500, askedOf: 'director' }],
      },
    }),
    payingAgent('miser', {
      limits: { maxSteps: 1 },
      onLimit: 'ask',
      approval: { timeout: 500, expire: 'fail' },
    }),
  ],
});

const waiting = (agent: string, start: Parameters<typeof startWaiting>[2], count: number) =>
  startWaiting(served.client, agent, start, count);

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error: unknown) => (error instanceof PerdureRefusal ? error.code : String(error)),
  );

describe('two people', () => {
  test('approving at the same moment from two clients: one runs it, the other learns who did and when', async () => {
    const { conversation, keys } = await waiting('payer', { message: payments(['a', 1]) }, 1);
    const [key = ''] = keys;
    const { address, taskQueue } = served.client;
    const bens = await PerdureClient.connect({ address, taskQueue });
    const other = bens.handle(conversation.id);
    const answers = await Promise.allSettled([
      conversation.approve(key, { by: ana }),
      other.approve(key, { by: ben }),
    ]);
    const [taken, refused] = answers.toSorted((a, b) => a.status.localeCompare(b.status));
    const receipt = taken?.status === 'fulfilled' ? taken.value : undefined;
    expect(receipt).toMatchObject({ via: 'update', decision: 'approve', key });
    if (receipt?.via !== 'update') throw new Error('a worker answered');
    expect(refused).toMatchObject({
      reason: {
        code: 'already_decided',
        details: { key, decision: 'approve', by: receipt.by, at: receipt.at },
      },
    });
    await conversation.result();
    expect(paidIn(conversation)).toEqual(['a 1']);
    await bens.close();
  });

  test('must both approve where the agent says so, and neither may be who started it', async () => {
    const { conversation, keys } = await waiting(
      'two_people',
      { message: payments(['a', 1]), by: { id: 'starter' } },
      1,
    );
    const [key = ''] = keys;
    expect(await code(conversation.approve(key, { by: { id: 'starter' } }))).toBe('not_allowed');
    expect(await conversation.approve(key, { by: ana, verdictId: 'v' })).toMatchObject({
      stillNeeded: 1,
    });
    expect(await code(conversation.approve(key, { by: ana }))).toBe('not_allowed');
    expect(await code(conversation.approve(key, { by: ben, remember: 'conversation' }))).toBe(
      'not_allowed',
    );
    const [request] = await conversation.approvals();
    expect(request).toMatchObject({ quorum: 2, verdicts: [{ by: ana, decision: 'approve' }] });
    expect(paidIn(conversation)).toEqual([]);
    await conversation.approve(key, { by: ben });
    await conversation.result();
    expect(paidIn(conversation)).toEqual(['a 1']);
  });

  test('approve what one of them changed only when they say that they saw it', async () => {
    const { conversation, keys, requests } = await waiting(
      'two_people',
      { message: payments(['a', 1]), by: { id: 'starter' } },
      1,
    );
    const [key = ''] = keys;
    await conversation.approve(key, { by: ana });
    await conversation.approve(key, { by: ben, input: { to: 'a', cents: 100 } });
    const [changed] = await conversation.approvals();
    expect(changed).toMatchObject({
      input: { cents: 100 },
      summary: 'pay 100 to a',
      verdicts: [{ by: ben }],
    });
    expect(await code(conversation.approve(key, { by: ana }))).toBe('digest_mismatch');
    expect(await code(conversation.approve(key, { by: ana, digest: requests[0]?.digest }))).toBe(
      'digest_mismatch',
    );
    await conversation.approve(key, { by: ana, digest: changed?.digest });
    await conversation.result();
    expect(paidIn(conversation)).toEqual(['a 100']);
  });

  test('one denial ends it', async () => {
    const start = { message: payments(['a', 1]), by: { id: 'starter' } };
    const { conversation, keys } = await waiting('two_people', start, 1);
    await conversation.approve(keys[0] ?? '', { by: ana });
    await conversation.deny(keys[0] ?? '', { by: { id: 'starter' }, reason: 'I was wrong' });
    expect((await conversation.result()).text).toContain('I was wrong');
    expect(paidIn(conversation)).toEqual([]);
  });

  test('cannot be told apart from a starter without a name: such a start is refused', async () => {
    const conversation = await served.client.start('two_people', { message: 'hello' });
    await expect(conversation.result()).rejects.toMatchObject({ type: 'InvalidStart' });
  });
});

describe('what a person asks to be remembered', () => {
  test('lets the tool run in this conversation, is visible, and is taken back', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    await conversation.approve(keys[0] ?? '', { by: ana, remember: 'conversation' });
    await untilTurn(conversation, 1);
    await conversation.send(payments(['b', 2]));
    await untilTurn(conversation, 2);
    expect(paidIn(conversation)).toEqual(['a 1', 'b 2']);
    const { rules } = await conversation.status();
    expect(rules).toMatchObject([{ tool: 'pay', match: { kind: 'tool' }, by: ana }]);
    const [rule] = rules;
    // Never for another conversation.
    const stranger = await waiting('payer', { message: payments(['x', 9]) }, 1);
    await stranger.conversation.cancel();

    expect(await code(conversation.revoke('no such rule', { by: ben }))).toBe('unknown_rule');
    expect(await conversation.revoke(rule?.id ?? '', { by: ben, reason: 'enough' })).toMatchObject({
      via: 'update',
      rule: rule?.id,
      tool: 'pay',
      by: ben,
    });
    expect((await conversation.status()).rules).toEqual([]);
    await conversation.send(payments(['c', 3]));
    const [request] = await untilWaiting(conversation, 1);
    await conversation.deny(request?.key ?? '', { by: ana });
    await untilTurn(conversation, 3);
    expect(paidIn(conversation)).toEqual(['a 1', 'b 2']);
    await conversation.close();
    await conversation.result();
    expect(await notesOf(conversation)).toMatchObject([
      { code: 'rule_revoked', details: { rule: rule?.id, by: 'ben' } },
    ]);
  });

  test('may be the exact arguments that were approved, or a part of them', async () => {
    const { conversation, keys } = await waiting(
      'payer',
      { message: payments(['a', 1], ['b', 2]), mode: 'chat' },
      2,
    );
    const scope = 'conversation' as const;
    await conversation.approve(keys[0] ?? '', {
      by: ana,
      input: { to: 'a', cents: 10 },
      remember: { scope, match: 'exact' },
    });
    await conversation.approve(keys[1] ?? '', { by: ana, remember: { scope, match: ['/to'] } });
    await untilTurn(conversation, 1);
    await conversation.send(payments(['a', 1], ['a', 10], ['b', 77], ['c', 3]));
    // What was changed is asked about again, and so is what nobody has seen.
    const asked = await untilWaiting(conversation, 2);
    expect(asked.map(({ summary }) => summary)).toEqual(['pay 1 to a', 'pay 3 to c']);
    for (const { key } of asked) await conversation.deny(key, { by: ana });
    await untilTurn(conversation, 2);
    expect(paidIn(conversation)).toEqual(['a 10', 'b 2', 'a 10', 'b 77']);
    await conversation.close();
    await conversation.result();
  });
});

describe('a budget', () => {
  test('is asked about, bound to its size, and extended by two people', async () => {
    const { conversation, requests, keys } = await waiting(
      'spender',
      { message: payments(['a', 1]), mode: 'chat' },
      1,
    );
    await conversation.approve(keys[0] ?? '', { by: ana });
    await conversation.approve(keys[0] ?? '', { by: ben });
    expect(requests[0]?.kind).toBe('call');
    await eventually(async () => (await conversation.approvals())[0]?.kind).toBe('budget');
    const [budget] = await conversation.approvals();
    expect(budget).toMatchObject({
      askedOf: 'boss',
      quorum: 2,
      input: { limit: 'max_steps', size: 1 },
      digest: expect.stringMatching(/./),
      summary: 'go on beyond max steps?',
    });
    const key = budget?.key ?? '';
    expect(await code(conversation.approve(key, { by: ana, digest: 'other' }))).toBe(
      'digest_mismatch',
    );
    expect(await code(conversation.approve(key, { by: ana, input: 5 }))).toBe('invalid_verdict');
    expect(await code(conversation.approve(key, { by: ana, remember: 'conversation' }))).toBe(
      'invalid_verdict',
    );
    await conversation.approve(key, { by: ana, digest: budget?.digest });
    await conversation.approve(key, { by: ben });
    expect(await untilTurn(conversation, 1)).toBe('paid 1 to a');
    expect((await conversation.status()).limits.maxSteps).toBe(2);
    await conversation.close();
    await conversation.result();
    expect(await notesOf(conversation)).toMatchObject([
      { code: 'budget_decided', details: { key, decision: 'approve', by: 'ben' } },
    ]);
  });

  test('that is denied ends the turn at its limit; one that expires may fail it', async () => {
    const { conversation, keys } = await waiting('spender', { message: payments(['a', 1]) }, 1);
    await conversation.deny(keys[0] ?? '', { by: ana });
    await eventually(async () => (await conversation.approvals())[0]?.kind).toBe('budget');
    const [budget] = await conversation.approvals();
    await conversation.deny(budget?.key ?? '', { by: ana });
    expect(await conversation.result()).toMatchObject({
      status: 'partial',
      stopReason: 'max_steps',
    });
    const late = await served.client.start('miser', {
      message: JSON.stringify([['look', { at: 'a' }]]),
    });
    await expect(late.result()).rejects.toMatchObject({ type: 'ApprovalExpired' });
  });
});

describe('the list of all that waits', () => {
  const list = async (filter: Parameters<typeof served.client.approvals.list>[0]) => {
    const found: string[] = [];
    for await (const { conversationId, request } of served.client.approvals.list(filter)) {
      found.push(`${conversationId} ${request.summary}`);
    }
    return found;
  };

  test('is filtered by agent, tool, whom it is asked of and age, and pages', async () => {
    const many = payments(...Array.from({ length: 30 }, (_, n) => [`p${n}`, n + 1] as const));
    const { conversation } = await waiting('payer', { message: many }, 30);
    await eventually(async () =>
      (await list({ agent: 'payer' })).filter((each) => each.startsWith(conversation.id)),
    ).toEqual(Array.from({ length: 30 }, (_, n) => `${conversation.id} pay ${n + 1} to p${n}`));
    expect(await list({ agent: 'payer', tool: 'look' })).toEqual([]);
    expect(await list({ agent: 'payer', askedOf: 'boss' })).toEqual([]);
    expect(await list({ agent: 'payer', olderThan: '1 hour' })).toEqual([]);
    const asked = await waiting('spender', { message: payments(['z', 1]) }, 1);
    await eventually(() => list({ askedOf: 'boss' })).toEqual([
      `${asked.conversation.id} pay 1 to z`,
    ]);
    await asked.conversation.cancel();
    await conversation.cancel();
  });

  test('follows an escalation, and so does who watches', async () => {
    const { conversation } = await waiting('nagging', { message: payments(['a', 1]) }, 1);
    for await (const item of conversation.watch()) {
      if (item.kind !== 'waiting') continue;
      const [request] = item.approvals;
      if (request?.askedOf !== 'director') continue;
      expect(request).toHaveProperty('remindedAt');
      break;
    }
    await eventually(() => list({ askedOf: 'director' })).toEqual([
      `${conversation.id} pay 1 to a`,
    ]);
    await conversation.cancel();
  });
});
