import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { report } from '../support/counting-service.ts';
import { listedCallsAgent } from '../support/listed-calls-agent.ts';

export interface ApprovalsFixtureOptions {
  /** Of the counting service. */
  readonly url: string;
  /** Of the agent `timed`. */
  readonly timeoutMs: number;
}

/** Agents that ask in every way, and report outside what they do. */
export default function approvalsConfig({ url, timeoutMs }: ApprovalsFixtureOptions) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ to: z.string(), cents: z.number() }),
    effect: 'once',
    needsApproval: true,
    parallelSafe: true,
    async execute({ to, cents }, { idempotencyKey }) {
      await report(url, { kind: 'pay', what: `${to} ${cents}`, key: idempotencyKey });
      return `paid ${cents} to ${to}`;
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({ at: z.string() }),
    effect: 'read',
    async execute({ at }) {
      await report(url, { kind: 'look', what: at });
      return `saw ${at}`;
    },
  });
  const tools = [pay, look];
  return {
    agents: [
      listedCallsAgent('payer', { tools }),
      listedCallsAgent('two_people', { tools, approval: { quorum: 2 } }),
      listedCallsAgent('hurried', { tools, runAsDecided: true }),
      listedCallsAgent('answered', { tools, approval: { onMessageWhileWaiting: 'deny' } }),
      listedCallsAgent('timed', { tools, approval: { timeout: timeoutMs } }),
    ],
  };
}
