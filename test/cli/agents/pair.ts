import { z } from 'zod';
import { scripted, toolCall } from '../../../src/models/scripted.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';

/** Of this process. */
export const paid: string[] = [];

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ to: z.string() }),
  effect: 'once',
  parallelSafe: true,
  summary: ({ to }) => `pay ${to}`,
  execute: ({ to }, { idempotencyKey }) => {
    paid.push(idempotencyKey);
    return `${to} has it. ${'x'.repeat(10)}`;
  },
});

/** Pays two at once, then answers whatever is said. */
export const pair = defineAgent({
  name: 'pair',
  model: scripted((_request, turn) =>
    turn === 0 ? [toolCall('pay', { to: 'Ana' }), toolCall('pay', { to: 'Ben' })] : `turn ${turn}`,
  ),
  instructions: 'Pay.',
  tools: [pay],
});
