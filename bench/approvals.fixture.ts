import { z } from 'zod';
import { scripted, toolCall } from '../src/models/scripted.ts';
import { defineAgent } from '../src/tools/define-agent.ts';
import { defineTool } from '../src/tools/define-tool.ts';
import { report } from '../test/support/counting-service.ts';

/** A conversation asks for one payment, with a deadline in two weeks; the tool says when it began. */
export default function approvalsConfig({ url }: { readonly url: string }) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ to: z.string(), cents: z.number() }),
    effect: 'once',
    needsApproval: true,
    approval: { timeout: '14 days', remindAfter: '1 day', askedOf: 'finance' },
    summary: ({ to, cents }) => `pay ${cents} to ${to}`,
    execute: async (_input, { conversationId }) => {
      const at = performance.timeOrigin + performance.now();
      await report(url, { kind: 'paid', conversation: conversationId, at });
      return 'paid';
    },
  });
  const clerk = defineAgent({
    name: 'clerk',
    model: scripted([['I pay it.', toolCall('pay', { to: 'acme', cents: 1200 })], 'It is paid.']),
    instructions: 'You pay invoices.',
    tools: [pay],
  });
  return { agents: [clerk] };
}
