import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DEFAULT_APPROVAL } from '../../../src/core/approval-settings.ts';
import { defineTool, type ToolDefinition } from '../../../src/tools/define-tool.ts';
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

describe('a person is asked', () => {
  it('by nobody by default', async () => {
    const { plan } = await setting({ tools: [pay()] });
    const [planned] = await plan([call('pay', { id: 'A' })]);
    expect(planned).toMatchObject({ verdict: 'run' });
    expect(planned).not.toHaveProperty('reason');
    expect(planned).not.toHaveProperty('approval');
  });

  it('when the tool says so', async () => {
    const { plan } = await setting({ tools: [pay({ needsApproval: true })] });
    const [planned] = await plan([call('pay', { id: 'A' })]);
    expect(planned).toMatchObject({
      verdict: 'ask',
      reason: 'the tool asks',
      approval: DEFAULT_APPROVAL,
      danger: true,
    });
  });

  it("when the tool's function says so of what execute would get", async () => {
    const seen: unknown[] = [];
    const { plan } = await setting({
      tools: [
        pay({
          needsApproval: (input, info) => {
            seen.push({ input: { ...input }, tenant: info.tenant });
            return Promise.resolve(input.cents > 1_000);
          },
        }),
      ],
    });
    const planned = await plan([call('pay', { id: 'A', cents: 5_000 }), call('pay', { id: 'B' })], {
      start: { tenant: 'acme' },
    });
    expect(planned.map(({ verdict }) => verdict)).toEqual(['ask', 'run']);
    expect(seen).toEqual([
      { input: { id: 'A', cents: 5_000 }, tenant: 'acme' },
      { input: { id: 'B', cents: 100 }, tenant: 'acme' },
    ]);
  });

  it("under control 'approve', of agent or start, for all that is not read", async () => {
    const ofAgent = await setting({ tools: [pay(), look], control: 'approve' });
    const ofStart = await setting({ tools: [pay(), look] });
    const calls = [call('pay', { id: 'A' }), call('look')];
    for (const planned of [
      await ofAgent.plan(calls, { start: { control: 'policy' } }),
      await ofStart.plan(calls, { start: { control: 'approve' } }),
    ]) {
      expect(planned.map(({ verdict }) => verdict)).toEqual(['ask', 'run']);
      expect(planned[0]?.reason).toBe('every call that is not read asks');
    }
  });

  it('when the policy says so, and for every reason that there is', async () => {
    const { plan } = await setting({
      tools: [pay({ needsApproval: true })],
      control: 'approve',
      policy: () => Promise.resolve('ask'),
    });
    const [planned] = await plan([call('pay', { id: 'A' })]);
    expect(planned).toMatchObject({
      verdict: 'ask',
      reason: "the agent's policy asks; the tool asks; every call that is not read asks",
    });
  });

  it("with the tool's approval options over the agent's over the defaults", async () => {
    const { plan } = await setting({
      tools: [pay({ needsApproval: true, approval: { quorum: 2, timeout: '1h' } })],
      approval: {
        timeout: '2h',
        expire: 'fail',
        remindAfter: '10m',
        askedOf: 'support',
        notBy: 'starter',
        escalate: [{ after: '30m', askedOf: 'the head of support' }],
      },
    });
    const [planned] = await plan([call('pay', { id: 'A' })], { start: { by: { id: 'jo' } } });
    expect(planned?.approval).toEqual({
      timeoutMs: 3_600_000,
      expire: 'fail',
      remindAfterMs: 600_000,
      askedOf: 'support',
      notBy: 'starter',
      escalate: [{ afterMs: 1_800_000, askedOf: 'the head of support' }],
      quorum: 2,
      onMessageWhileWaiting: 'queue',
    });
  });

  it('never about a call that cannot run, and no code is asked either', async () => {
    let asked = 0;
    const { plan } = await setting({
      tools: [pay({ needsApproval: true })],
      policy: () => {
        asked += 1;
        return 'ask';
      },
    });
    const [planned] = await plan([call('pay', { id: 7 })]);
    expect(outcomeOf(planned)).toBe('invalid_input: /id: must be string, got 7');
    expect(asked).toBe(0);
  });
});
