import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { digestOf } from '../../../src/activities/transcript/digest.ts';
import type { Json } from '../../../src/core/json.ts';
import type { RememberedRule } from '../../../src/core/remember-rules.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { call, setting } from './setting.ts';

const to = z.looseObject({ account: z.string() });
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ id: z.string(), to: to.optional() }),
  effect: 'once',
  needsApproval: true,
  execute: () => null,
});

const rule = (id: string, match: RememberedRule['match'], tool = 'pay'): RememberedRule => ({
  id,
  tool,
  match,
  by: { id: 'jo' },
  at: '2026-01-01T00:00:00.000Z',
});
const atPointers = (values: Record<string, Json>): RememberedRule['match'] => ({
  kind: 'pointers',
  values,
});

async function ruleFor(
  input: Json,
  rules: readonly RememberedRule[],
  tools = [pay],
): Promise<string | undefined> {
  const { plan } = await setting({ tools });
  const [planned] = await plan([call('pay', input)], { rules });
  return planned?.rule;
}

describe('a remembered rule is named by the call that it would answer', () => {
  it('for a tool: whatever the arguments', async () => {
    expect(await ruleFor({ id: 'A' }, [rule('r1', { kind: 'tool' })])).toBe('r1');
    expect(await ruleFor({ id: 'A' }, [rule('r1', { kind: 'tool' }, 'other')])).toBeUndefined();
  });

  it('for exact arguments: those, in any order of keys, and no others', async () => {
    const digest = digestOf({ to: { account: 'X' }, id: 'A' });
    const rules = [rule('r1', { kind: 'exact', digest })];
    expect(await ruleFor({ id: 'A', to: { account: 'X' } }, rules)).toBe('r1');
    expect(await ruleFor({ id: 'A', to: { account: 'Y' } }, rules)).toBeUndefined();
    expect(await ruleFor({ id: 'A' }, rules)).toBeUndefined();
  });

  it('for JSON pointers: when all of them have the remembered values', async () => {
    const rules = [rule('r1', atPointers({ '/to/account': 'X', '/to/a~1b': 1 }))];
    expect(await ruleFor({ id: 'A', to: { account: 'X', 'a/b': 1 } }, rules)).toBe('r1');
    expect(await ruleFor({ id: 'B', to: { account: 'X', 'a/b': 1 } }, rules)).toBe('r1');
    expect(await ruleFor({ id: 'A', to: { account: 'X', 'a/b': 2 } }, rules)).toBeUndefined();
    expect(await ruleFor({ id: 'A', to: { account: 'X' } }, rules)).toBeUndefined();
    expect(await ruleFor({ id: 'A' }, rules)).toBeUndefined();
    const whole = [rule('r2', atPointers({ '/to': { 'a/b': 1, account: 'X' } }))];
    expect(await ruleFor({ id: 'A', to: { account: 'X', 'a/b': 1 } }, whole)).toBe('r2');
  });

  it('without a pointer: for nothing', async () => {
    expect(await ruleFor({ id: 'A' }, [rule('r1', atPointers({}))])).toBeUndefined();
  });

  it('only where a person would be asked: the call still asks, the workflow applies the rule', async () => {
    const { plan } = await setting({ tools: [pay] });
    const rules = [rule('r0', { kind: 'tool' }, 'other'), rule('r1', { kind: 'tool' })];
    const [asked] = await plan([call('pay', { id: 'A' })], { rules });
    expect(asked).toMatchObject({ verdict: 'ask', rule: 'r1' });
    const { plan: denied } = await setting({ tools: [pay], policy: () => ({ deny: 'never' }) });
    const [settled] = await denied([call('pay', { id: 'A' })], { rules });
    expect(settled).not.toHaveProperty('rule');
  });
});
