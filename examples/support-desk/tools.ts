import { setTimeout as pause } from 'node:timers/promises';
import { defineTool, ToolError, type ToolContext } from 'perdure';
import { z } from 'zod';
import type { Desk } from './desk.ts';

type Context = ToolContext<{ desk: Desk }>;

/** Back offices take a moment; it also leaves time to be killed in the middle. */
const OFFICE_MS = 1_000;

export const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its number: items, prices in cents, status.',
  inputSchema: z.object({ orderId: z.string().describe('such as A-1017') }),
  effect: 'read',
  summary: ({ orderId }) => `look up order ${orderId}`,
  async execute({ orderId }, { deps, signal }: Context) {
    await pause(OFFICE_MS, undefined, { signal });
    const order = deps.desk.findOrder(orderId);
    if (order === undefined) throw new ToolError(`There is no order ${orderId}.`);
    return order;
  },
});

export const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Pays money back to the customer. Not more than the order was worth.',
  inputSchema: z.object({
    orderId: z.string(),
    amountCents: z.number().int().positive(),
    reason: z.string(),
  }),
  effect: 'once',
  needsApproval: true,
  summary: ({ orderId, amountCents }) => `refund ${(amountCents / 100).toFixed(2)} for ${orderId}`,
  async execute({ orderId, amountCents }, { deps, idempotencyKey }: Context) {
    const order = deps.desk.findOrder(orderId);
    if (order === undefined) throw new ToolError(`There is no order ${orderId}.`);
    if (amountCents > order.totalCents) {
      throw new ToolError(`Order ${orderId} was worth ${order.totalCents} cents.`);
    }
    await pause(OFFICE_MS);
    const { at } = deps.desk.book({ kind: 'refund', idempotencyKey, orderId, amountCents });
    return { refundedCents: amountCents, at };
  },
  // After a lost attempt the book says whether the money went out.
  reconcile(_input, { deps, idempotencyKey }: Context) {
    const booking = deps.desk.bookingOf(idempotencyKey);
    if (booking === undefined) return { status: 'not_done' };
    return { status: 'done', output: { refundedCents: booking.amountCents, at: booking.at } };
  },
});

export const notifyCustomer = defineTool({
  name: 'notify_customer',
  description: 'Sends the customer of an order a short message.',
  inputSchema: z.object({ orderId: z.string(), text: z.string().min(1) }),
  effect: 'idempotent',
  summary: ({ orderId }) => `tell the customer of ${orderId}`,
  async execute({ orderId, text }, { deps, idempotencyKey, signal }: Context) {
    await pause(OFFICE_MS, undefined, { signal });
    // The same key twice is the same message: it goes out once.
    const sent = deps.desk.bookingOf(idempotencyKey);
    const { at } = sent ?? deps.desk.book({ kind: 'notification', idempotencyKey, orderId, text });
    return { sentAt: at };
  },
});
