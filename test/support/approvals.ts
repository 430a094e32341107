import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle, PerdureClient } from '../../src/client/index.ts';
import type { ApprovalRequest } from '../../src/core/approval-request.ts';
import { textOf } from '../../src/core/content.ts';
import type { NoteEntry, ResultEntry } from '../../src/core/entry.ts';
import type { Start } from '../../src/core/start.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { listedCallsAgent } from './listed-calls-agent.ts';
import { failedTasks } from './raw-sender.ts';
import { temporalClient } from './temporal-client.ts';

/** A payment that was made. */
export interface Paid {
  readonly conversationId: string;
  readonly to: string;
  readonly cents: number;
  readonly key: string;
  readonly at: number;
}

/** All that the tools of this process did, in order. */
export const paid: Paid[] = [];

const payment = z.object({ to: z.string(), cents: z.number().int().positive() });

export const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: payment,
  effect: 'once',
  needsApproval: true,
  parallelSafe: true,
  summary: ({ to, cents }) => `pay ${cents} to ${to}`,
  execute: ({ to, cents }, { conversationId, idempotencyKey }) => {
    paid.push({ conversationId, to, cents, key: idempotencyKey, at: Date.now() });
    return `paid ${cents} to ${to}`;
  },
});

export const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({ at: z.string() }),
  effect: 'read',
  execute: ({ at }, { conversationId, idempotencyKey }) => {
    paid.push({ conversationId, to: at, cents: 0, key: idempotencyKey, at: Date.now() });
    return `saw ${at}`;
  },
});

/** Nobody is waited for long. */
const payFast = defineTool({
  name: 'pay_fast',
  description: 'Pays.',
  inputSchema: payment,
  effect: 'once',
  needsApproval: true,
  approval: { timeout: 300 },
  execute: () => {
    throw new Error('nobody approves this in time');
  },
});

/** Makes the calls that a message lists, of the tools above. */
export function payingAgent(name: string, options: Parameters<typeof listedCallsAgent>[1] = {}) {
  return listedCallsAgent(name, { tools: [pay, payFast, look], ...options });
}

export function payments(...calls: readonly (readonly [to: string, cents: number])[]): string {
  return JSON.stringify(calls.map(([to, cents]) => ['pay', { to, cents }]));
}

export interface Waiting {
  readonly conversation: ConversationHandle;
  readonly requests: readonly ApprovalRequest[];
  readonly keys: readonly string[];
}

/** Starts an agent and waits until as many requests wait. */
export async function startWaiting(
  client: PerdureClient,
  agent: string,
  start: Start,
  count: number,
): Promise<Waiting> {
  const conversation = await client.start(agent, { id: `${agent}-${randomUUID()}`, ...start });
  const requests = await untilWaiting(conversation, count);
  return { conversation, requests, keys: requests.map(({ key }) => key) };
}

export async function untilWaiting(
  conversation: ConversationHandle,
  count: number,
): Promise<readonly ApprovalRequest[]> {
  let requests: readonly ApprovalRequest[] = [];
  await eventually(async () => {
    requests = await conversation.approvals();
    return requests.length;
  }).toBe(count);
  return requests;
}

/** Like `expect.poll`, with the patience that a busy machine needs. */
export function eventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, { timeout: 30_000, interval: 50 });
}

/** Waits until a chat has ended as many turns; what the last of them said. */
export async function untilTurn(conversation: ConversationHandle, turn: number): Promise<string> {
  let text = '';
  await eventually(async () => {
    const { status, turn: now, lastTurn } = await conversation.status();
    text = typeof lastTurn?.text === 'string' ? lastTurn.text : '';
    return status === 'waiting_input' ? now : 0;
  }).toBe(turn);
  return text;
}

/** Sends something again and again until the conversation goes on as a new run. */
export async function handOver(
  conversation: ConversationHandle,
  send: () => Promise<unknown>,
): Promise<void> {
  const { run } = await conversation.status();
  await eventually(async () => {
    await send();
    return (await conversation.status()).run;
  }).not.toBe(run);
}

export function paidIn({ id }: ConversationHandle): readonly string[] {
  return paid
    .filter(({ conversationId }) => conversationId === id)
    .map(({ to, cents }) => `${to} ${cents}`);
}

/** The results in the transcript, in order: category and text. */
export async function resultsOf(conversation: ConversationHandle): Promise<readonly string[]> {
  const entries = await conversation.entries();
  return entries
    .map(({ entry }) => entry)
    .filter((entry): entry is ResultEntry => entry.kind === 'result')
    .map(
      ({ outcome, content }) =>
        `${outcome}: ${'blob' in Object(content) ? '' : textOf(content as string)}`,
    );
}

/** What the audit says beside the transcript. */
export async function notesOf(conversation: ConversationHandle): Promise<readonly NoteEntry[]> {
  const entries = await conversation.entries();
  return entries
    .map(({ entry }) => entry)
    .filter((entry): entry is NoteEntry => entry.kind === 'note');
}

/** The events of all runs of a conversation. */
export async function eventsOf({ id }: ConversationHandle) {
  const { workflow } = await temporalClient();
  const events = [];
  for await (const { runId } of workflow.list({ query: `WorkflowId = '${id}'` })) {
    const history = await workflow.getHandle(id, runId).fetchHistory();
    events.push(...(history.events ?? []));
  }
  return events;
}

/** No workflow task may have failed, whatever was sent. */
export async function expectNoFailedTask(conversation: ConversationHandle): Promise<void> {
  expect((await eventsOf(conversation)).length).toBeGreaterThan(5);
  expect(await failedTasks(await temporalClient(), conversation.id)).toEqual([]);
}
