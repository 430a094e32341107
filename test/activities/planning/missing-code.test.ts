import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { call, outcomeOf, setting } from './setting.ts';
import { audit, findOrder, shopTools } from './shop-tools.ts';

describe("a tool that today's code lacks", () => {
  const gated = defineTool({
    name: 'gated',
    description: 'Asks.',
    inputSchema: z.object({}),
    effect: 'once',
    needsApproval: true,
    execute: () => null,
  });

  it('is planned where nothing of its code is needed: its own activity finds a worker that has it', async () => {
    const { plan } = await setting({ tools: shopTools });
    const now = await setting({ tools: [audit] });
    const agent = now.environment.agents.get('support');
    const [planned] = await plan([call('find_order', { id: 'A-1' })], { agent: agent as never });
    expect(planned).toMatchObject({ verdict: 'run', summary: 'find_order(id: "A-1")' });
    const [bad] = await plan([call('find_order', { id: 1 })], { agent: agent as never });
    expect(outcomeOf(bad)).toContain('invalid_input');
  });

  it('makes the completion wait for a worker that has it where a person would be asked', async () => {
    const { plan } = await setting({ tools: [findOrder, gated] });
    const now = await setting({ tools: [findOrder] }, { deployPatienceMs: 1_234 });
    const agent = now.environment.agents.get('support') as never;
    const lacking = plan([call('gated')], { agent, environment: now.environment });
    await expect(lacking).rejects.toMatchObject({
      type: 'NotKnownHere',
      message: expect.stringContaining(
        '"support" on worker worker-1 has no tool "gated"',
      ) as string,
      details: [{ known: ['find_order'], patienceMs: 1_234 }],
    });
  });

  it('is unknown once patience is over', async () => {
    const { plan } = await setting({ tools: [findOrder, gated] });
    const now = await setting({ tools: [findOrder] });
    const agent = now.environment.agents.get('support') as never;
    const [planned] = await plan([call('gated')], { agent, patienceOver: true });
    expect(outcomeOf(planned)).toBe(
      'unknown_tool: "gated" was taken away since this conversation began. The tools are: find_order.',
    );
  });
});
