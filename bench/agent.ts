import { z } from 'zod';
import { scripted, toolCall } from '../src/models/scripted.ts';
import { defineAgent } from '../src/tools/define-agent.ts';
import { defineTool } from '../src/tools/define-tool.ts';

const USAGE = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0 };

/** Makes as many steps as its message says, each with one call whose result has so many bytes. */
export const benchAgent = defineAgent({
  name: 'bench',
  model: scripted((request, turn) => {
    const [steps = 1, bytes = 0] = planOf(request.messages[0]);
    // The script does not count tokens: a real service does that elsewhere.
    if (turn >= steps) return { text: 'Done.', usage: USAGE };
    return { text: `Step ${turn}.`, calls: [toolCall('work', { n: turn, bytes })], usage: USAGE };
  }),
  instructions: 'Work.',
  limits: { maxSteps: 100_000 },
  tools: [
    defineTool({
      name: 'work',
      description: 'Works.',
      inputSchema: z.object({ n: z.number(), bytes: z.number() }),
      effect: 'read',
      maxResultChars: 1_000_000,
      execute: ({ n, bytes }) => `${n} ${'x'.repeat(bytes)}`,
    }),
  ],
});

export function messageFor(steps: number, bytes: number): string {
  return JSON.stringify([steps, bytes]);
}

function planOf(message: unknown): number[] {
  const text = /\[\d+,\d+\]/.exec(JSON.stringify(message))?.[0];
  return text === undefined ? [] : (JSON.parse(text) as number[]);
}
