import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { eventsOfRuns } from '../support/raw-sender.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';

const CALLS = 30;
const PER_SECOND = 5;
const taskQueue = `rated-${randomUUID()}`;

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks up.',
  inputSchema: z.object({ n: z.number() }),
  effect: 'read',
  taskQueue,
  execute: ({ n }) => `${n} found`,
});
const clerk = defineAgent({
  name: 'clerk',
  model: scripted([Array.from({ length: CALLS }, (_, n) => toolCall('look_up', { n })), 'Done.']),
  instructions: 'Look up everything at once.',
  tools: [lookUp],
  maxParallel: CALLS,
});
const dataDir = await mkdtemp(join(tmpdir(), 'perdure-test-rate-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));
const worker = { maxPerSecond: PER_SECOND };

const served = serveAgents({ agents: [clerk], dataDir });
serveAgents({ agents: [clerk], dataDir, taskQueue, worker });
serveAgents({ agents: [clerk], dataDir, taskQueue, worker });

test('calls of a task queue begin no more often in a second than its limit says, over two workers', async () => {
  const conversation = await served.client.start('clerk', { message: 'All, please' });
  expect(await conversation.result()).toMatchObject({ text: 'Done.' });
  const events = await eventsOfRuns(await temporalClient(), conversation.id);
  const scheduled = new Set(
    events.flatMap(({ eventId, activityTaskScheduledEventAttributes: it }) =>
      it?.activityType?.name === 'look_up' ? [String(eventId)] : [],
    ),
  );
  const times = events.flatMap(({ eventTime, activityTaskStartedEventAttributes: it }) =>
    scheduled.has(String(it?.scheduledEventId)) ? [tsToMs(eventTime)] : [],
  );
  expect(times).toHaveLength(CALLS);
  const first = Math.min(...times);
  // A queue gives some at once, and then keeps to its rate.
  expect(times.filter((time) => time - first < 2_000).length).toBeLessThanOrEqual(4 * PER_SECOND);
});
