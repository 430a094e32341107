import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { PerdureClient } from '../../src/client/index.ts';
import { ModelFailure } from '../../src/models/model.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolError, toolOutput } from '../../src/tools/tool.ts';

const by = { id: 'approver' };
const order = z.object({ order: z.string() });

const tools = [
  defineTool({
    name: 'look_up',
    description: 'Looks up.',
    inputSchema: order,
    effect: 'read',
    execute: async ({ order: id }, { attempt, signal }) => {
      if (id === 'flaky' && attempt === 1) throw new ToolError('busy', { retryable: true });
      if (id === 'slow') await pause(10_000, undefined, { signal });
      return { order: id };
    },
    retry: { initialInterval: 20 },
  }),
  defineTool({
    name: 'remember',
    description: 'Changes the state.',
    inputSchema: order,
    effect: 'idempotent',
    execute: ({ order: id }) =>
      toolOutput('noted', { stateUpdate: [{ op: 'replace', path: '', value: { order: id } }] }),
  }),
  defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: order,
    effect: 'once',
    needsApproval: true,
    approval: { timeout: '1 hour' },
    execute: () => 'paid',
  }),
];

/** One agent whose turn depends only on what it is told, so that each scenario is one conversation. */
const agent = defineAgent({
  name: 'replayed',
  model: scripted((request, turn) => {
    const said = JSON.stringify(request.messages);
    if (turn > 0 && said.includes('gated')) return 'Done.';
    if (said.includes('long'))
      return turn < 30 ? toolCall('look_up', { order: `n${turn}` }) : 'Done.';
    if (turn > 0) return 'Done.';
    if (said.includes('parallel')) {
      return [1, 2, 3].map((n) => toolCall('look_up', { order: `p${n}` }));
    }
    if (said.includes('retried')) {
      return {
        calls: [toolCall('look_up', { order: 'flaky' })],
        failures: [new ModelFailure('overloaded', 'try later', { retryAfterMs: 30 })],
      };
    }
    if (said.includes('gated')) {
      return ['a', 'b', 'c'].map((n) => toolCall('pay', { order: n }));
    }
    if (said.includes('stopped')) return toolCall('look_up', { order: 'slow' });
    if (said.includes('state')) return toolCall('remember', { order: 's' });
    return 'Nothing to do.';
  }),
  instructions: 'Do as you are told.',
  tools,
});

export const agents = [agent];

/** Each leaves a closed conversation under its name. */
export const scenarios: Record<string, (client: PerdureClient, id: string) => Promise<unknown>> = {
  parallel: async (client, id) =>
    (await client.start('replayed', { id, message: 'parallel' })).result(),
  retried: async (client, id) =>
    (await client.start('replayed', { id, message: 'retried' })).result(),
  state: async (client, id) => (await client.start('replayed', { id, message: 'state' })).result(),
  gated: async (client, id) => {
    const conversation = await client.start('replayed', { id, message: 'gated', tenant: 't' });
    const waiting = await until(async () => {
      const requests = await conversation.approvals();
      return requests.length === 3 ? requests : undefined;
    });
    await conversation.deny(waiting[2]?.key ?? '', { by, reason: 'no' });
    await conversation.approve(waiting[0]?.key ?? '', { by });
    await conversation.approve(waiting[1]?.key ?? '', { by, input: { order: 'edited' } });
    return conversation.result();
  },
  stopped: async (client, id) => {
    const conversation = await client.start('replayed', { id, mode: 'chat', message: 'stopped' });
    await until(async () => ((await conversation.status()).step === 1 ? true : undefined));
    await pause(200);
    await conversation.send('and then', { when: 'steer' });
    await conversation.stop({ by });
    await until(async () => (await conversation.status()).lastTurn);
    await conversation.send('go on');
    await until(async () => ((await conversation.status()).turn > 1 ? true : undefined));
    await conversation.close();
    return conversation.result();
  },
  long: async (client, id) => (await client.start('replayed', { id, message: 'long' })).result(),
};

/** The same, with workers that keep transcripts. */
export const keptScenarios: typeof scenarios = {
  kept: async (client, id) =>
    (await client.start('replayed', { id, message: 'parallel' })).result(),
};

async function until<T>(condition: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const value = await condition();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error('the condition did not come true within 30 s');
    await pause(50);
  }
}
