import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ConversationHandle } from '../../src/client/index.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { spawnTool } from '../../src/tools/spawn.ts';
import { isRunning } from '../support/is-running.ts';
import { withWorker } from '../support/with-worker.ts';

const GRACE_MS = 300;
const PATIENTLY = { timeout: 30_000 };

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'perdure-families-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A command that does not listen, and a grandchild in a session of its own that does not either. */
function family(conversationId: string): string {
  const path = fileOf(conversationId);
  return [
    'trap "" TERM',
    `(setsid sh -c 'trap "" TERM; echo $$ > "${path}"; while :; do sleep 0.1; done' &)`,
    'while :; do sleep 0.1; done',
  ].join('\n');
}

function fileOf(conversationId: string): string {
  return join(directory, conversationId);
}

/** An agent, and its tool, of one name: the tool starts a family and waits for it. */
function parent(name: string, timeout: number) {
  const start = defineTool({
    name,
    description: 'Starts a family of processes.',
    inputSchema: z.object({}),
    // An attempt that a shutdown ends; a call that acts once would be waited for.
    effect: 'idempotent',
    timeout,
    execute: (_, ctx) =>
      spawnTool(ctx, 'sh', ['-c', family(ctx.conversationId)], { graceMs: GRACE_MS }),
  });
  return defineAgent({
    name,
    model: scripted([toolCall(name), 'Done.']),
    instructions: 'Start.',
    tools: [start],
  });
}

const agents = [parent('patient', 60_000), parent('hasty', 2_000)];

async function grandchildOf({ id }: ConversationHandle): Promise<number> {
  const path = fileOf(id);
  const words = () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');
  await expect.poll(words, PATIENTLY).not.toBe('');
  return Number(words());
}

describe.runIf(process.platform === 'linux')("a tool's detached grandchild is gone", () => {
  test('after a stop, a cancel, a timeout, and a shutdown of its worker', async () => {
    let outlived: number | undefined;
    await withWorker({ agents }, async ({ client }) => {
      const begin = (agent: string) => client.start(agent, { mode: 'chat', message: 'start' });
      const [stopped, cancelled, late, shutDown] = await Promise.all(
        ['patient', 'patient', 'hasty', 'patient'].map(begin),
      );
      if (!stopped || !cancelled || !late || !shutDown) throw new Error('four were begun');
      const pids = await Promise.all([stopped, cancelled, shutDown].map(grandchildOf));
      expect(pids.filter(isRunning)).toHaveLength(3);
      const lateChild = await grandchildOf(late);

      await stopped.stop();
      await cancelled.cancel();
      const outcomes = async (conversation: ConversationHandle) =>
        (await conversation.record()).calls.map(({ result }) => result?.outcome);
      // A call is settled when its processes are gone, not before.
      await expect.poll(() => outcomes(stopped), PATIENTLY).toEqual(['cancelled']);
      expect(isRunning(pids[0] ?? 0)).toBe(false);
      await expect.poll(() => outcomes(cancelled), PATIENTLY).toEqual(['cancelled']);
      expect(isRunning(pids[1] ?? 0)).toBe(false);
      await expect.poll(() => outcomes(late), PATIENTLY).toEqual(['timeout']);
      expect(isRunning(lateChild)).toBe(false);

      outlived = pids[2];
      expect(isRunning(outlived ?? 0)).toBe(true);
    });
    expect(isRunning(outlived ?? 0)).toBe(false);
  });
});
