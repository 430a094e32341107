import { z } from 'zod';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** An agent that never ends: its tool is answered by another service, which does not. */
export default function endlessConfig() {
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    effect: 'read',
    completion: 'later',
    // Whoever takes the token is to complete the call.
    execute: (_, { completionToken }) => ({ waitsFor: completionToken ?? '' }),
  });
  return {
    agents: [
      defineAgent({
        name: 'endless',
        model: scripted([toolCall('wait'), 'Done.']),
        instructions: 'Wait.',
        tools: [wait],
      }),
    ],
  };
}
