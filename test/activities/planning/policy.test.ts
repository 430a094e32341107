import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Policy, PolicyCall } from '../../../src/tools/agent.ts';
import { defineTool, type ToolDefinition } from '../../../src/tools/define-tool.ts';
import type { CallInfo } from '../../../src/tools/tool.ts';
import { call, outcomeOf, setting } from './setting.ts';

const payment = z.object({ id: z.string(), cents: z.int().default(100) });
type Payment = typeof payment;

const pay = (options: Partial<ToolDefinition<Payment>> = {}) =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: payment,
    effect: 'once',
    execute: () => null,
    ...options,
  });
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  effect: 'read',
  execute: () => null,
});

describe('a policy', () => {
  const withPolicy = (policy: Policy, tools = [pay()]) => setting({ tools, policy });

  it('is told of the call and the conversation', async () => {
    const seen: { call: PolicyCall; info: CallInfo }[] = [];
    const { plan } = await withPolicy((call, info) => {
      seen.push({ call, info });
      return 'allow';
    });
    const [planned] = await plan([call('pay', { id: 'A' })], {
      start: {
        context: { user: 'u1' },
        tenant: 'acme',
        by: { id: 'jo' },
        capabilities: ['payments'],
      },
      state: { budget: 5 },
    });
    expect(seen).toEqual([
      {
        call: {
          tool: 'pay',
          input: { id: 'A' },
          effect: 'once',
          dangerous: true,
          callId: planned?.callId,
          key: planned?.key,
        },
        info: {
          conversationId: 'order-7',
          agent: 'support',
          turn: 3,
          step: 2,
          by: { id: 'jo' },
          tenant: 'acme',
          context: { user: 'u1' },
          state: { budget: 5 },
          capabilities: ['payments'],
          usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
        },
      },
    ]);
  });

  it('denies with a reason that reaches the model verbatim, whoever else asks', async () => {
    const { plan } = await withPolicy(
      () => ({ deny: 'No payments on Sundays.' }),
      [pay({ needsApproval: true })],
    );
    const [planned] = await plan([call('pay', { id: 'A' })]);
    expect(outcomeOf(planned)).toBe(
      "denied: Denied by the agent's policy: No payments on Sundays.",
    );
    expect(planned?.reason).toContain('No payments on Sundays.');
  });

  it('may change the arguments: they are validated, and both digests are kept', async () => {
    const { plan } = await withPolicy(({ input }) => ({ input: { ...input, cents: 50 } }));
    const [changed, plain] = await plan([
      call('pay', { id: 'A', cents: 5_000 }),
      call('pay', { id: 'A', cents: 50 }),
    ]);
    expect(changed).toMatchObject({
      verdict: 'run',
      input: { id: 'A', cents: 50 },
      inputDigest: plain?.inputDigest,
      reason: "the agent's policy changed the arguments",
      summary: 'pay(id: "A", cents: 50)',
    });
    expect(changed?.originalDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(changed?.originalDigest).not.toBe(changed?.inputDigest);
    expect(plain).not.toHaveProperty('originalDigest');
  });

  it('may change the arguments and leave it to the tool to ask about them', async () => {
    const { plan } = await withPolicy(
      ({ input }) => ({ input: { ...input, cents: 5_000 } }),
      [pay({ needsApproval: ({ cents }) => cents > 1_000 })],
    );
    const [planned] = await plan([call('pay', { id: 'A', cents: 1 })]);
    expect(planned).toMatchObject({ verdict: 'ask', input: { id: 'A', cents: 5_000 } });
  });

  it('that changes arguments to some that do not fit closes the call', async () => {
    const cents = Symbol('cents') as unknown as string;
    const inputs = [
      { id: 7 },
      { id: 'A', cents: 2 ** 60 },
      { id: 'A', cents: () => 5 },
      { id: cents },
    ];
    for (const input of inputs) {
      const { plan } = await withPolicy(() => ({ input: input as never }));
      const [planned] = await plan([call('pay', { id: 'A' })]);
      expect(outcomeOf(planned)).toMatch(/^approval_failed: The agent's policy /);
    }
  });

  it('gets copies: what it does to them changes nothing', async () => {
    const state = { budget: 5 };
    const seen: unknown[] = [];
    const { plan } = await withPolicy((call, info) => {
      seen.push(structuredClone(info.state));
      Object.assign(call.input, { id: 'stolen' });
      Object.assign(info.state as object, { budget: 1_000_000 });
      (info.capabilities as string[]).push('everything');
      return 'allow';
    });
    const planned = await plan([call('pay', { id: 'A' }), call('pay', { id: 'B' })], { state });
    expect(planned.map(({ input }) => input)).toEqual([{ id: 'A' }, { id: 'B' }]);
    expect(seen).toEqual([{ budget: 5 }, { budget: 5 }]);
    expect(state).toEqual({ budget: 5 });
  });

  it('is asked in call order, one call at a time', async () => {
    const log: string[] = [];
    const { plan } = await withPolicy(async ({ input }) => {
      log.push(`begin ${JSON.stringify(input['id'])}`);
      await sleep(input['id'] === 'A' ? 20 : 1);
      log.push(`end ${JSON.stringify(input['id'])}`);
      return input['id'] === 'B' ? { deny: 'not B' } : 'allow';
    });
    const planned = await plan(['A', 'B', 'C'].map((id) => call('pay', { id })));
    expect(log).toEqual(['begin "A"', 'end "A"', 'begin "B"', 'end "B"', 'begin "C"', 'end "C"']);
    expect(planned.map((one) => outcomeOf(one).split(':')[0])).toEqual(['run', 'denied', 'run']);
  });
});

describe('code that cannot decide closes the call, and only that call', () => {
  const failing: Readonly<Record<string, { policy: Policy; message: RegExp }>> = {
    'a policy that throws': {
      policy: () => {
        throw new RangeError('no rule for this');
      },
      message: /^approval_failed: The agent's policy failed: RangeError: no rule for this$/,
    },
    'a policy that rejects with text': {
      policy: () => Promise.reject('nope' as unknown as Error),
      message: /^approval_failed: The agent's policy failed: not an error but the text "nope"$/,
    },
    'a policy that never answers': {
      policy: () => new Promise<never>(() => undefined),
      message:
        /^approval_failed: The agent's policy failed: Error: it gave no answer within 50 ms$/,
    },
    'a policy that answers nothing': {
      policy: () => undefined as never,
      message: /^approval_failed: The agent's policy answered undefined; expected 'allow'/,
    },
    'a policy that answers true': {
      policy: () => true as never,
      message: /answered true; expected/,
    },
    'a policy that denies without text': {
      policy: () => ({ deny: true, input: { id: 'A' } }) as never,
      message: /answered an object with deny, input; expected/,
    },
  };

  it.each(Object.entries(failing))('%s', async (_, { policy, message }) => {
    const { plan } = await setting({
      tools: [pay({ needsApproval: true }), look],
      policy: (call, info) => (call.tool === 'look' ? 'allow' : policy(call, info)),
    });
    const planned = await plan([call('pay', { id: 'A' }), call('look')], { codeLimitMs: 50 });
    expect(outcomeOf(planned[0])).toMatch(message);
    expect(outcomeOf(planned[0])).not.toContain('    at ');
    expect(planned[1]?.verdict).toBe('run');
  });

  it.each([
    ['throws', () => Promise.reject(new Error('database is away')), 'Error: database is away'],
    [
      'never answers',
      () => new Promise<boolean>(() => undefined),
      'it gave no answer within 50 ms',
    ],
    ['answers with a word', () => 'yes' as never, 'answered "yes"; expected true or false'],
    [
      'answers with what is no text',
      () => Object.create(null) as never,
      'answered an object with nothing; expected true or false',
    ],
  ] as const)('a needsApproval that %s', async (_, needsApproval, words) => {
    const { plan } = await setting({ tools: [pay({ needsApproval })] });
    const [planned] = await plan([call('pay', { id: 'A' })], { codeLimitMs: 50 });
    expect(outcomeOf(planned)).toMatch(/^approval_failed: The needsApproval of "pay" /);
    expect(outcomeOf(planned)).toContain(words);
  });
});
