import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { report } from '../support/counting-service.ts';

export interface ActingOptions {
  /** Of the counting service. */
  readonly url: string;
  /** Milliseconds between the start of a tool and its effect. */
  readonly toolMs: number;
}

/**
 * An agent for each tool that acts once: `payer` cannot find out afterwards whether it did, `shipper`
 * asks the service outside, `asker` needs a person first. They do not listen to their signal.
 */
export default function actingConfig({ url, toolMs }: ActingOptions) {
  const act = async (name: string, key: string) => {
    await report(url, { kind: `${name} began`, key });
    await pause(toolMs);
    // A connection that was kept open while the process was stopped may be gone.
    await report(url, { kind: name, key }).catch(() => report(url, { kind: name, key }));
    return `${name} done`;
  };
  const common = { inputSchema: z.object({}), effect: 'once' } as const;
  const pay = defineTool({
    ...common,
    name: 'pay',
    description: 'Pays.',
    execute: (_, { idempotencyKey }) => act('pay', idempotencyKey),
  });
  const ask = defineTool({
    ...common,
    name: 'ask',
    description: 'Pays when a person agrees.',
    needsApproval: true,
    execute: (_, { idempotencyKey }) => act('ask', idempotencyKey),
  });
  const ship = defineTool({
    ...common,
    name: 'ship',
    description: 'Ships.',
    execute: (_, { idempotencyKey }) => act('ship', idempotencyKey),
    async reconcile(_, { idempotencyKey }) {
      const response = await fetch(url);
      const seen = (await response.json()) as { kind: string; key: string }[];
      return seen.some(({ kind, key }) => kind === 'ship' && key === idempotencyKey)
        ? { status: 'done', output: 'ship done' }
        : { status: 'not_done' };
    },
  });
  const agents = { payer: pay, shipper: ship, asker: ask };
  return {
    agents: Object.entries(agents).map(([name, tool]) =>
      defineAgent({
        name,
        model: scripted([toolCall(tool.name), 'Done.']),
        instructions: 'Act.',
        tools: [tool],
      }),
    ),
  };
}
