import * as z from 'zod';
import { defineTool } from '../../../src/tools/define-tool.ts';

export const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order.',
  inputSchema: z.object({ id: z.string(), lines: z.int().optional() }),
  effect: 'read',
  execute: ({ id }) => id,
});
export const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ id: z.string(), cents: z.int() }),
  effect: 'once',
  timeout: '5m',
  taskQueue: 'payments',
  usesState: true,
  completion: 'later',
  summary: ({ cents, id }) => `pays back ${cents / 100} EUR of ${id}`,
  reconcile: () => ({ status: 'unknown' }),
  execute: () => null,
});
export const audit = defineTool({
  name: 'audit_books',
  description: 'Reads the books.',
  inputSchema: z.object({}),
  effect: 'read',
  capabilities: ['finance', 'audit'],
  execute: () => null,
});
export const shopTools = [findOrder, refund, audit];
