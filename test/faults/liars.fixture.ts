import { z } from 'zod';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { tellStore } from './effect-store.ts';

/** Tools that are not what they say: an idempotent one that is not, and one whose reconcile lies. */
export default function liarsConfig({ url }: { readonly url: string }) {
  const act = async (_: unknown, ctx: ToolContext): Promise<string> => {
    const { conversationId: conversation, idempotencyKey: key } = ctx;
    await tellStore(url, 'effects', { conversation, key, isKeyed: false });
    return 'done';
  };
  const common = { description: 'Acts.', inputSchema: z.object({}), execute: act };
  const twice = defineTool({ ...common, name: 'twice', effect: 'idempotent' });
  const forgetful = defineTool({
    ...common,
    name: 'forgetful',
    effect: 'once',
    reconcile: () => ({ status: 'not_done' }),
  });
  return {
    agents: [twice, forgetful].map((tool) =>
      defineAgent({
        name: tool.name,
        model: scripted([toolCall(tool.name), 'Done.']),
        instructions: 'Act.',
        tools: [tool],
      }),
    ),
  };
}
