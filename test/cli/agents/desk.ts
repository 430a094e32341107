import * as z from 'zod';
import { textOf } from '../../../src/core/content.ts';
import type { ModelRequest } from '../../../src/core/model-request.ts';
import { scripted, type ScriptedStep, toolCall } from '../../../src/models/scripted.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';

/** Agents for tests of the client and the command line: what they do is what their message says. */

const refund = defineTool({
  name: 'refund',
  description: 'Pays money back.',
  inputSchema: z.object({ order: z.string(), cents: z.number().int().positive() }),
  effect: 'once',
  needsApproval: true,
  summary: ({ order, cents }) => `refund ${(cents / 100).toFixed(2)} for ${order}`,
  execute: ({ order, cents }) => ({ refunded: cents, order }),
});

const look = defineTool({
  name: 'look',
  description: 'Looks up an order.',
  inputSchema: z.object({ order: z.string() }),
  effect: 'read',
  summary: ({ order }) => `look up ${order}`,
  execute: ({ order }) => ({ order, cents: 1200, state: 'delivered' }),
});

/** Looks up the order that is named, asks to refund it, and says what became of it. */
export const desk = defineAgent({
  name: 'desk',
  model: scripted(deskTurn, { id: 'desk-script' }),
  instructions: 'You refund orders.',
  tools: [look, refund],
});

/** Like `desk`, and two people must approve. */
export const pair = defineAgent({
  name: 'pair',
  model: scripted(deskTurn, { id: 'pair-script' }),
  instructions: 'You refund orders.',
  tools: [look, refund],
  approval: { quorum: 2 },
});

/** Repeats what it is told. */
export const echo = defineAgent({
  name: 'echo',
  model: scripted((request) => `you said: ${lastSaid(request)}`, { id: 'echo-script' }),
  instructions: 'You repeat.',
});

/** Looks up orders until a limit ends it. */
export const restless = defineAgent({
  name: 'restless',
  model: scripted((_request, turn) => toolCall('look', { order: `A-${turn}` })),
  instructions: 'You never finish.',
  tools: [look],
  limits: { maxSteps: 2 },
});

/** Its script ends at once: a task with it fails. */
export const broken = defineAgent({
  name: 'broken',
  model: scripted([]),
  instructions: 'You cannot answer.',
});

function deskTurn(request: ModelRequest): ScriptedStep {
  const { messages } = request;
  const last = messages.at(-1);
  if (last?.role !== 'tool') return ['I look.', toolCall('look', { order: lastSaid(request) })];
  const [result] = last.results;
  if (result?.tool === 'look') {
    return toolCall('refund', { order: lastSaid(request), cents: 1200 });
  }
  return result?.isError === true ? `not refunded: ${textOf(result.content)}` : 'refunded';
}

function lastSaid({ messages }: ModelRequest): string {
  const said = messages.findLast((message) => message.role === 'user');
  return said === undefined ? '' : textOf(said.content);
}
