import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-request.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { report } from '../support/counting-service.ts';

export interface BusyAgentOptions {
  /** Of the counting service. */
  readonly url: string;
}

/**
 * Answers what it is told: a turn calls `pay` (asked for, acts once) or `look`, and then says how
 * many messages it was shown. Each effect is reported with its key.
 */
export default function busyConfig({ url }: BusyAgentOptions) {
  const step = (name: 'look' | 'pay') =>
    defineTool({
      name,
      description: `Does ${name}.`,
      inputSchema: z.object({ n: z.number(), edited: z.boolean().optional() }),
      effect: name === 'pay' ? 'once' : 'read',
      needsApproval: name === 'pay',
      async execute({ n, edited = false }, { idempotencyKey }) {
        await report(url, { kind: name, key: idempotencyKey, n, edited });
        return `${name} ${n}`;
      },
    });
  return {
    agents: [
      defineAgent({
        name: 'busy',
        model: scripted((request, turn) => {
          if (request.messages.at(-1)?.role === 'tool') return `heard ${heard(request)}`;
          return turn % 2 === 0
            ? [toolCall('pay', { n: turn }), toolCall('look', { n: turn })]
            : toolCall('look', { n: turn });
        }),
        instructions: 'Do as you are told.',
        tools: [step('look'), step('pay')],
        limits: { maxSteps: 100_000 },
      }),
    ],
  };
}

function heard({ messages }: ModelRequest): number {
  return messages.flatMap((message) => (message.role === 'user' ? message.content : [])).length;
}
