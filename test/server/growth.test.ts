import { expect, test } from 'vitest';
import { makeBenchAgent, messageFor } from '../../bench/agent.ts';
import { conversationSize } from '../../bench/conversation-size.ts';
import { RESULT_BYTES } from '../../bench/growth.ts';
import { serveAgents } from '../support/serve-agents.ts';

const served = serveAgents({ agents: [makeBenchAgent()] });

const CALLS_PER_STEP = 4;

/** Runs a conversation of so many call/result pairs to its end; the size of its history. */
async function historyOf(pairs: number) {
  const conversation = await served.client.start('bench', {
    message: messageFor(pairs / CALLS_PER_STEP, RESULT_BYTES, CALLS_PER_STEP),
  });
  expect(await conversation.result()).toMatchObject({
    stopReason: 'answered',
    summary: { calls: { work: { ok: pairs } } },
  });
  return conversationSize(served.client.temporal, conversation.id);
}

test('history grows by each pair once: 400 pairs take no more bytes a pair than 40', async () => {
  const [short, long] = await Promise.all([historyOf(40), historyOf(400)]);
  expect(long.bytes / 400).toBeLessThanOrEqual((1.1 * short.bytes) / 40);
  expect(long.runs).toBeGreaterThan(1);
  expect(long.largestRunEvents).toBeLessThan(5_000);
  expect(long.largestRunBytes).toBeLessThan(5_000_000);
});
