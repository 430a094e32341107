import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Model } from '../../src/models/model.ts';
import { type ScriptedStep, scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { violationsOf } from '../core/request-linter/check-request.ts';
import { tellStore } from './effect-store.ts';

const inputSchema = z.object({ n: z.number() });
const TOOL_MS = 5;

const task: readonly ScriptedStep[] = [
  [toolCall('look_up', { n: 1 }), toolCall('look_up', { n: 2 }), toolCall('label', { n: 3 })],
  ['I ship it.', toolCall('ship', { n: 4 })],
  [toolCall('pay', { n: 5 })],
  [toolCall('read_page', { n: 6 }), toolCall('look_up', { n: 7 })],
  [toolCall('label', { n: 8 }), toolCall('label', { n: 9 })],
  [toolCall('mail', { n: 10 }), toolCall('ship', { n: 11 })],
  'Done.',
];

/** Each message is answered after one batch. */
const chat = [
  toolCall('look_up', { n: 1 }),
  toolCall('mail', { n: 2 }),
  toolCall('label', { n: 3 }),
];

/** Two agents with a tool of every kind; every effect is reported to the store outside. */
export default function stormConfig({ url }: { readonly url: string }) {
  const act = async (ctx: ToolContext, isKeyed: boolean): Promise<void> => {
    const { conversationId: conversation, idempotencyKey: key } = ctx;
    await tellStore(url, 'effects', { conversation, key, isKeyed });
  };
  const tool = (name: string, effect: 'read' | 'idempotent' | 'once', needsApproval = false) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      inputSchema,
      effect,
      needsApproval,
      async execute({ n }, ctx: ToolContext) {
        await pause(TOOL_MS);
        if (effect !== 'read') await act(ctx, effect === 'idempotent');
        // Larger than what history keeps inline.
        return name === 'read_page' ? `page ${n} `.repeat(5_000) : `${name} ${n} done`;
      },
    });
  const ship = defineTool({
    name: 'ship',
    description: 'Ships a parcel.',
    inputSchema,
    effect: 'once',
    async execute({ n }, ctx: ToolContext) {
      await pause(TOOL_MS);
      await act(ctx, false);
      return `ship ${n} done`;
    },
    async reconcile({ n }, { conversationId: conversation, idempotencyKey: key }: ToolContext) {
      const { times } = await tellStore(url, 'look', { conversation, key });
      return times > 0 ? { status: 'done', output: `ship ${n} done` } : { status: 'not_done' };
    },
  });
  const tools = [
    tool('look_up', 'read'),
    tool('read_page', 'read'),
    tool('label', 'idempotent'),
    tool('pay', 'once', true),
    tool('mail', 'once'),
    ship,
  ];
  const agent = (name: string, model: Model) =>
    defineAgent({ name, model: checked(model, url), instructions: 'Handle it.', tools });
  return {
    agents: [
      agent(
        'clerk',
        scripted((_, turn) => task[turn] ?? 'Nothing more.'),
      ),
      agent(
        'chatter',
        scripted((_, turn) => (turn % 2 === 0 ? chat : 'There you are.')),
      ),
    ],
  };
}

/** Checks each request as the model's service would. */
function checked(model: Model, url: string): Model {
  return {
    ...model,
    async complete(request, options) {
      const violations = violationsOf(request);
      if (violations.length > 0) {
        const of = (words: string) => `${request.conversationId}: ${words}`;
        await tellStore(url, 'violations', violations.map(of));
      }
      return model.complete(request, options);
    },
  };
}
