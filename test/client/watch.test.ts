import { describe, expect, inject, test } from 'vitest';
import { PerdureClient, type WatchItem } from '../../src/client/index.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { fileEventSink } from '../../src/streams/file.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { desk } from '../cli/agents/desk.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { SOON } from './soon.ts';
import { join } from 'node:path';
import * as z from 'zod';

const WORDS = 'The sea is blue because it reflects what is above it, and green where it does not.';
const TURNS = 6;

const nod = defineTool({
  name: 'nod',
  description: 'Nods.',
  inputSchema: z.object({}),
  effect: 'read',
  execute: () => 'nodded',
});

/** Says something at each of its steps, slowly enough to be watched. */
const talker = defineAgent({
  name: 'talker',
  model: scripted(
    (_request, turn) => (turn < TURNS ? [`${turn}: ${WORDS}`, toolCall('nod')] : WORDS),
    { delayMs: 150 },
  ),
  instructions: 'Talk.',
  tools: [nod],
});

const served = serveAgents({ agents: [desk, talker] });

/** A client that reads the live events of the worker. */
async function withEvents<T>(work: (client: PerdureClient) => Promise<T>): Promise<T> {
  const events = fileEventSink({ directory: join(served.dataDirectory, 'events') });
  const client = await PerdureClient.connect({
    address: inject('temporalAddress'),
    taskQueue: served.taskQueue,
    events,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
    await events.close();
  }
}

/** What was said, as somebody reads it who prints live text and, else, recorded text. */
function textIn(items: readonly WatchItem[]): string {
  return items
    .map((item) => {
      if (item.kind === 'live') return item.event.type === 'text' ? item.event.text : '';
      if (item.kind !== 'recorded' || item.recorded.type !== 'completion') return '';
      const { text, told } = item.recorded;
      return typeof text === 'string' ? text.slice(told) : '';
    })
    .join('');
}

const SAID = `${Array.from({ length: TURNS }, (_, turn) => `${turn}: ${WORDS}`).join('')}${WORDS}`;

describe('a watch', () => {
  test('gives live text once, then the record of it, and ends with the conversation', async () => {
    await withEvents(async (client) => {
      const conversation = await client.start('talker', { message: 'talk' });
      const items: WatchItem[] = [];
      for await (const item of conversation.watch()) items.push(item);
      expect(textIn(items)).toBe(SAID);
      const live = items.filter(({ kind }) => kind === 'live');
      expect(live.length).toBeGreaterThan(TURNS);
      expect(items.at(-1)).toMatchObject({
        kind: 'recorded',
        recorded: { type: 'ended', end: 'completed', result: { text: WORDS } },
      });
    });
  });

  test('left and resumed at any item has no gap and nothing twice', async () => {
    await withEvents(async (client) => {
      const conversation = await client.start('talker', { message: 'talk' });
      const items: WatchItem[] = [];
      let from: string | undefined;
      for (let pieces = 1; ; pieces += 3) {
        let hasEnded = true;
        let count = 0;
        for await (const item of conversation.watch({ from })) {
          items.push(item);
          from = item.cursor;
          count += 1;
          if (count < pieces) continue;
          hasEnded = item.kind === 'recorded' && item.recorded.type === 'ended';
          break;
        }
        if (hasEnded) break;
      }
      expect(textIn(items)).toBe(SAID);
      const recorded = items.flatMap((item) => (item.kind === 'recorded' ? [item.recorded] : []));
      expect(recorded.map(({ type }) => type)).toEqual([
        'started',
        'entry',
        ...Array.from({ length: TURNS }, () => ['completion', 'result']).flat(),
        'completion',
        'ended',
      ]);
    });
  });

  test('without an event sink gives all that is recorded', async () => {
    const conversation = await served.client.start('talker', { message: 'talk' });
    const items: WatchItem[] = [];
    for await (const item of conversation.watch()) items.push(item);
    expect(textIn(items)).toBe(SAID);
    expect(items.every(({ kind }) => kind === 'recorded')).toBe(true);
  });

  test('says what the conversation waits for, and who decided', async () => {
    const conversation = await served.client.start('desk', { message: 'A-1' });
    let decided: string | undefined;
    const received: unknown[] = [];
    for await (const item of conversation.watch()) {
      if (item.kind === 'waiting' && item.approvals.length > 0 && decided === undefined) {
        expect(item.status).toMatchObject({ status: 'waiting_approval', pending: 1 });
        decided = item.approvals[0]?.key ?? '';
        await conversation.approve(decided, { by: { id: 'ana' } });
      }
      if (item.kind === 'recorded' && item.recorded.type === 'received') {
        received.push(item.recorded);
      }
    }
    expect(received).toMatchObject([
      { name: 'decide', via: 'update', payload: { key: decided, by: { id: 'ana' } } },
    ]);
  });

  test('from now gives only what comes', async () => {
    const conversation = await served.client.start('desk', { message: 'A-1' });
    await expect.poll(async () => (await conversation.approvals()).length, SOON).toBe(1);
    const items: WatchItem[] = [];
    for await (const item of conversation.watch({ from: 'now' })) {
      items.push(item);
      if (item.kind !== 'waiting') continue;
      await conversation.deny(item.approvals[0]?.key ?? '', { by: { id: 'ana' } });
    }
    const types = items.map((item) => (item.kind === 'recorded' ? item.recorded.type : item.kind));
    expect(types).toEqual(['waiting', 'received', 'entry', 'completion', 'ended']);
  });

  test('ends when its signal aborts, and the conversation goes on', async () => {
    const conversation = await served.client.start('desk', { message: 'A-1' });
    const leaving = new AbortController();
    for await (const item of conversation.watch({ signal: leaving.signal })) {
      if (item.kind === 'waiting') leaving.abort();
    }
    expect(await conversation.describe()).toMatchObject({ life: 'running' });
    await conversation.cancel();
  });

  test('from a text that is no cursor is refused', async () => {
    const conversation = await served.client.start('desk', { message: 'A-1' });
    const watching = conversation.watch({ from: 'yesterday' })[Symbol.asyncIterator]().next();
    await expect(watching).rejects.toThrow(/from: expected the cursor of an item/);
    await conversation.cancel();
  });
});
