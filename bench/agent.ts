import { z } from 'zod';
import { scripted, toolCall } from '../src/models/scripted.ts';
import { defineAgent } from '../src/tools/define-agent.ts';
import { defineTool } from '../src/tools/define-tool.ts';

const USAGE = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0 };
const SUMMARY = 'The work was done up to here, step by step. '.repeat(40);

export interface BenchAgentOptions {
  /** Tokens; with it the script counts them, as a real service does elsewhere. */
  readonly contextBudget?: number;
  /** Told the number of each call, from 0, before it returns. */
  readonly onCall?: (n: number) => void;
}

/** Makes as many steps as its message says, each with calls whose results have so many bytes. */
export function makeBenchAgent({ contextBudget, onCall = () => {} }: BenchAgentOptions = {}) {
  const counted = contextBudget === undefined ? { usage: USAGE } : {};
  return defineAgent({
    name: 'bench',
    model: scripted((request, turn) => {
      const [steps = 1, bytes = 0, perStep = 1] = planOf(request.messages[0]);
      if (turn >= steps) return { text: 'Done.', ...counted };
      const calls = Array.from({ length: perStep }, (_, index) =>
        toolCall('work', { n: turn * perStep + index, bytes }),
      );
      return { text: `Step ${turn}.`, calls, ...counted };
    }),
    instructions: 'Work.',
    limits: { maxSteps: 100_000 },
    ...(contextBudget === undefined ? {} : { contextBudget }),
    compaction: { model: scripted(() => SUMMARY, { id: 'scripted-summary' }) },
    tools: [
      defineTool({
        name: 'work',
        description: 'Works.',
        inputSchema: z.object({ n: z.number(), bytes: z.number() }),
        effect: 'read',
        maxResultChars: 1_000_000,
        execute: ({ n, bytes }) => {
          onCall(n);
          return `${n} ${'x'.repeat(bytes)}`;
        },
      }),
    ],
  });
}

export function messageFor(steps: number, bytes: number, callsPerStep = 1): string {
  return JSON.stringify([steps, bytes, callsPerStep]);
}

function planOf(message: unknown): number[] {
  const text = /\[\d+,\d+,\d+\]/.exec(JSON.stringify(message))?.[0];
  return text === undefined ? [] : (JSON.parse(text) as number[]);
}
