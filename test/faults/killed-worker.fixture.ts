import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Model } from '../../src/models/model.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { report } from '../support/counting-service.ts';

export interface FixtureOptions {
  /** Of the counting service. */
  readonly url: string;
  /** Milliseconds that a completion takes. */
  readonly modelMs?: number;
  /** Milliseconds between the start of a tool and its effect, and after it. */
  readonly toolMs?: number;
  /** Only calls about this order take so long. Default: all. */
  readonly slowOrder?: string;
}

export const ORDERS = ['A-1', 'A-2', 'A-3'] as const;

/** An agent that looks up, pays (with approval) and notifies; everything is reported outside. */
export default function killedWorkerConfig(options: FixtureOptions) {
  const { url, modelMs = 0, toolMs = 0, slowOrder } = options;
  const step = (name: string, effect: 'read' | 'idempotent' | 'once', needsApproval = false) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      inputSchema: z.object({ order: z.string() }),
      effect,
      needsApproval,
      async execute({ order }, { idempotencyKey, signal }) {
        await report(url, { kind: `${name} began`, order, key: idempotencyKey });
        const isSlow = slowOrder === undefined || slowOrder === order;
        await pause(isSlow ? toolMs : 0, undefined, { signal });
        await report(url, { kind: name, order, key: idempotencyKey });
        return `${name} of ${order} done`;
      },
    });
  return {
    agents: [
      defineAgent({
        name: 'clerk',
        model: recorded(
          scripted(
            [
              toolCall('look_up', { order: 'A-1' }),
              toolCall('pay', { order: 'A-1' }),
              toolCall('notify', { order: 'A-1' }),
              'Done.',
            ],
            { delayMs: modelMs },
          ),
          url,
        ),
        instructions: 'Handle the order.',
        tools: [step('look_up', 'read'), step('pay', 'once', true), step('notify', 'idempotent')],
      }),
      defineAgent({
        name: 'runner',
        model: scripted([
          ...Array.from({ length: 20 }, () => toolCall('look_up', { order: 'A-1' })),
          toolCall('look_up', { order: 'A-2' }),
          'Done.',
        ]),
        instructions: 'Look up one after the other.',
        tools: [step('look_up', 'read')],
      }),
      defineAgent({
        name: 'trio',
        model: recorded(
          scripted([ORDERS.map((order) => toolCall('look_up', { order })), 'Done.']),
          url,
        ),
        instructions: 'Look up all orders at once.',
        tools: [step('look_up', 'read')],
      }),
    ],
  };
}

/** Reports each request before it is completed, as its service would see it. */
function recorded(model: Model, url: string): Model {
  return {
    ...model,
    async complete(request, options) {
      await report(url, { kind: 'completion', messages: request.messages });
      return model.complete(request, options);
    },
  };
}
