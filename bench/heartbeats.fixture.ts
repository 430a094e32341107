import { once } from 'node:events';
import { z } from 'zod';
import { scripted, toolCall } from '../src/models/scripted.ts';
import { defineAgent } from '../src/tools/define-agent.ts';
import { defineTool } from '../src/tools/define-tool.ts';
import { report } from '../test/support/counting-service.ts';

/** A conversation makes one call that runs until it is told to stop, and says when that was. */
export default function heartbeatsConfig({ url }: { readonly url: string }) {
  const watch = defineTool({
    name: 'watch',
    description: 'Watches until it is told to stop.',
    inputSchema: z.object({}),
    effect: 'read',
    timeout: '1 hour',
    execute: async (_input, { conversationId, signal }) => {
      await report(url, { kind: 'began', conversation: conversationId });
      await once(signal, 'abort');
      const at = performance.timeOrigin + performance.now();
      await report(url, { kind: 'told', conversation: conversationId, at });
      return 'stopped';
    },
  });
  const guard = defineAgent({
    name: 'guard',
    model: scripted([toolCall('watch', {}), 'Done.']),
    instructions: 'You watch.',
    tools: [watch],
  });
  return { agents: [guard] };
}
