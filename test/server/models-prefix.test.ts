import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire as wire } from '../../src/models/contract/anthropic-wire.ts';
import { followScript } from '../../src/models/contract/follow-script.ts';
import { startModelServer } from '../../src/models/contract/model-server.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { withWorker } from '../support/with-worker.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({ where: z.string() }),
  effect: 'read',
  execute: ({ where }) => `nothing ${where}`,
});

const call = (id: string, where: string) => ({ id, name: 'look', input: { where } });

const SCRIPT = [
  { reasoning: 'Hm, wo?', text: 'I look.', calls: [call('a', 'oben'), call('b', 'unten')] },
  { calls: [call('c', 'hinten')] },
  { text: 'Nothing anywhere.' },
  { reasoning: 'Again.', calls: [call('d', 'überall')] },
  { text: 'Still nothing.' },
];

test('what was sent is sent again byte for byte, by another worker too, thinking included', async () => {
  const server = await startModelServer(followScript(wire, SCRIPT));
  const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-prefix-'));
  const agent = defineAgent({
    name: 'looker',
    model: anthropic('claude-wire-1', { apiKey: 'test-key', baseURL: server.url }),
    instructions: () => `Look. Today is ${new Date().toISOString()}.`,
    tools: [look],
  });
  const setting = { agents: [agent], taskQueue: `prefix-${randomUUID()}`, dataDir };
  try {
    const id = await withWorker(setting, async ({ client }) => {
      const conversation = await client.start('looker', { mode: 'chat', message: 'Look around' });
      await expect.poll(() => restsAfter(conversation), { timeout: 20_000 }).toBe(1);
      return conversation.id;
    });
    await withWorker(setting, async ({ client }) => {
      const conversation = client.handle(id);
      await conversation.send('Look again');
      await expect.poll(() => restsAfter(conversation), { timeout: 20_000 }).toBe(2);
      await conversation.close();
    });
    expect(server.requests).toHaveLength(SCRIPT.length);
    expect(server.requests).toHaveLength(SCRIPT.length);
    const [first, ...others] = server.requests.map(({ body }) => wire.read(body));
    let before = first;
    for (const request of others) {
      expect(JSON.stringify(request.system)).toBe(JSON.stringify(first?.system));
      expect(JSON.stringify(request.tools)).toBe(JSON.stringify(first?.tools));
      const earlier = before?.messages ?? [];
      expect(JSON.stringify(request.messages.slice(0, earlier.length))).toBe(
        JSON.stringify(earlier),
      );
      before = request;
    }
    const thinking = { type: 'thinking', thinking: 'Hm, wo?', signature: 'c2lnbmF0dXJl' };
    for (const { text } of server.requests.slice(1))
      expect(text).toContain(JSON.stringify(thinking));
  } finally {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** The turn that was the last, once nothing goes on any more. */
async function restsAfter(conversation: ConversationHandle): Promise<number | undefined> {
  const { status, turn } = await conversation.status();
  return status === 'waiting_input' ? turn : undefined;
}
