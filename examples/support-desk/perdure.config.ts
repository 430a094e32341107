import { defineAgent, defineConfig } from 'perdure';
import { openDesk } from './desk.ts';
import { supportModel } from './model.ts';
import { findOrder, notifyCustomer, refundOrder } from './tools.ts';

export const supportDesk = defineAgent({
  name: 'support-desk',
  model: supportModel(),
  instructions: [
    'You handle refund requests of an online shop.',
    'Look up the order before you decide. Refund only what the customer asks for and was delivered.',
    'Tell the customer what you did, then answer with one sentence.',
  ].join('\n'),
  tools: [findOrder, refundOrder, notifyCustomer],
});

/** Where the effects go: outside of Temporal, so that they can be counted there. */
export const BOOK = process.env['SUPPORT_DESK_BOOK'] ?? '.perdure/support-desk/book.jsonl';

export default defineConfig({ agents: [supportDesk], deps: { desk: openDesk(BOOK) } });
