import { readFile } from 'node:fs/promises';
import type { Json } from '../../../src/core/json.ts';
import { scripted, toolCall } from '../../../src/models/scripted.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { ToolError, type ToolContext } from '../../../src/tools/tool.ts';
import { READS, type RetailArguments, WRITES } from './retail-desk.ts';
import type { RetailAnswer, RetailCall } from './retail-store.ts';

export interface RetailTask {
  readonly id: string;
  readonly reason_for_call: string;
  readonly actions: readonly { readonly name: string; readonly arguments: Json }[];
}

/** The desk's agent: a script that makes the calls of the task whose id the first message is. */
export default async function retailConfig({ url, tasks }: { url: string; tasks: string }) {
  const all = JSON.parse(await readFile(tasks, 'utf8')) as readonly RetailTask[];
  const byId = new Map(all.map((task) => [task.id, task]));
  const ask = async (what: 'execute' | 'look', call: RetailCall): Promise<unknown> => {
    const response = await fetch(`${url}/${what}`, { method: 'POST', body: JSON.stringify(call) });
    return response.json();
  };
  const tool = (name: string, effect: 'read' | 'once') => {
    const callOf = (given: unknown, ctx: ToolContext): RetailCall => ({
      conversation: ctx.conversationId,
      tool: name,
      given: given as RetailArguments,
      key: ctx.idempotencyKey,
    });
    return defineTool({
      name,
      description: `The desk's ${name}.`,
      inputSchema: { type: 'object' },
      effect,
      async execute(given, ctx: ToolContext) {
        const answer = (await ask('execute', callOf(given, ctx))) as RetailAnswer;
        if ('error' in answer) throw new ToolError(answer.error);
        return answer.output;
      },
      ...(effect === 'read'
        ? {}
        : {
            async reconcile(given: unknown, ctx: ToolContext) {
              const done = (await ask('look', callOf(given, ctx))) as { output: unknown } | null;
              return done === null
                ? { status: 'not_done' as const }
                : { status: 'done' as const, output: done.output };
            },
          }),
    });
  };
  return {
    agents: [
      defineAgent({
        name: 'retail-desk',
        model: scripted((request, turn) => {
          const [first] = request.messages;
          const part = first?.role === 'user' ? first.content[0] : undefined;
          const id = part?.type === 'text' ? (part.text.split(':')[0] ?? '') : '';
          const action = byId.get(id)?.actions[turn];
          return action === undefined ? 'Done.' : toolCall(action.name, action.arguments);
        }),
        instructions: 'Help the customers of the shop.',
        tools: [
          ...Object.keys(READS).map((name) => tool(name, 'read')),
          ...Object.keys(WRITES).map((name) => tool(name, 'once')),
        ],
      }),
    ],
  };
}
