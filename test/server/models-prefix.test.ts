import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import { followScript } from '../../src/models/contract/follow-script.ts';
import { startModelServer } from '../../src/models/contract/model-server.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { withWorker } from '../support/with-worker.ts';

const look = {
  name: 'look',
  inputSchema: z.object({ where: z.string() }),
  effect: 'read',
  execute: ({ where }: { where: string }) => `nothing ${where}`,
} as const;

const call = (id: string, where: string) => ({ id, name: 'look', input: { where } });

/** So long that its turn is kept in the blob store. */
const REASONING = `Hm, wo? ${'über… '.repeat(8_000)}`;

const SCRIPT = [
  { reasoning: REASONING, text: 'I look.', calls: [call('a', 'oben'), call('b', 'unten')] },
  { calls: [call('c', 'hinten')] },
  { text: 'Nothing anywhere.' },
  { reasoning: 'Again.', calls: [call('d', 'überall')] },
  { text: 'Still nothing.' },
  { calls: [call('e', 'vorn'), call('f', 'dort')] },
  { calls: [call('g', 'dahinter')] },
  { calls: [call('h', 'davor')] },
  { text: 'It is not there.' },
];

test('what was sent is sent again byte for byte: by another worker, of another deploy, in another run', async () => {
  const server = await startModelServer(followScript(wire, SCRIPT));
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-prefix-'));
  const model = anthropic('claude-wire-1', { apiKey: 'test-key', baseURL: server.url });
  const agent = defineAgent({
    name: 'looker',
    model,
    instructions: () => `Look. Today is ${new Date().toISOString()}.`,
    tools: [defineTool({ ...look, description: 'Looks.' })],
  });
  const deployedLater = defineAgent({
    name: 'looker',
    model,
    instructions: 'Look, and be quick about it.',
    tools: [
      defineTool({ ...look, name: 'ask', description: 'Is new, and comes first.' }),
      defineTool({ ...look, description: 'Looks in another way.' }),
    ],
  });
  const setting = {
    taskQueue: `prefix-${randomUUID()}`,
    dataDir,
    internals: { handOver: { bytes: 3_000_000, events: 30 } },
  };
  let id = '';
  try {
    for (const [index, agents] of [[agent], [agent], [deployedLater]].entries()) {
      await withWorker({ ...setting, agents }, async ({ client }) => {
        if (index === 0) {
          id = (await client.start('looker', { mode: 'chat', message: 'Look around' })).id;
        }
        const conversation = client.handle(id);
        if (index > 0) await conversation.send('Look again');
        await expect.poll(() => restsAfter(conversation), { timeout: 20_000 }).toBe(index + 1);
        if (index < 2) return;
        const { runs, entries, calls } = await conversation.record();
        expect(runs.length).toBeGreaterThan(2);
        expect(calls.map(({ planned }) => planned.callId).join('')).toBe('abcdefgh');
        const turns = entries.filter(({ entry }) => entry.kind === 'assistant');
        expect(turns[0]?.entry).toMatchObject({ raw: { blob: expect.any(String) } });
        await conversation.close();
      });
    }
    expect(server.requests).toHaveLength(SCRIPT.length);
    const [first, ...others] = server.requests.map(({ body }) => sent(body as JsonObject));
    let before = first;
    for (const request of others) {
      expect(request.system).toBe(first?.system);
      expect(request.tools).toBe(first?.tools);
      expect(request.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
      before = request;
    }
    const words = before?.messages.join('\n') ?? '';
    const said = ['Look around', 'Nothing anywhere.', 'Look again', 'Still nothing.', 'davor'];
    expect(words).toMatch(new RegExp(said.join('[^]*')));
    const thinking = { type: 'thinking', thinking: REASONING, signature: 'c2lnbmF0dXJl' };
    for (const { text } of server.requests.slice(1))
      expect(text).toContain(JSON.stringify(thinking));
  } finally {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** As it was written, but for the cache marks of messages, which move on and are not cached. */
function sent(body: JsonObject) {
  return {
    system: JSON.stringify(body['system']),
    tools: JSON.stringify(body['tools']),
    messages: wire.read(body).messages.map((message) => JSON.stringify(message)),
  };
}

/** The turn that was the last, once nothing goes on any more. */
async function restsAfter(conversation: ConversationHandle): Promise<number | undefined> {
  const { status, turn } = await conversation.status();
  return status === 'waiting_input' ? turn : undefined;
}
