import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PerdureClient } from '../src/client/index.ts';
import { bundleWorkflows } from '../src/worker/workflow-bundle.ts';
import { forkWorker } from '../test/support/fork-worker.ts';
import { messageFor } from './agent.ts';
import { table } from './measure.ts';
import type { MemoryReport } from './memory.fixture.ts';

/** A message, so many steps of so many calls, and an answer: 100 entries. */
const STEPS = 14;
const CALLS_PER_STEP = 6;
const RESULT_BYTES = 2_000;
/** Conversations that work at the same time while the others are idle. */
const AT_ONCE = 16;
/** Memory is taken when it has not grown or shrunk for so many reports, one a second. */
const QUIET_REPORTS = 30;
const TASK_QUEUE = 'bench-memory';

/** Resident memory of a worker with so many open, idle conversations. */
export async function measureMemory(address: string, conversations: number): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'perdure-bench-memory-'));
  const workflowBundlePath = join(dataDirectory, 'workflow-bundle.js');
  await writeFile(workflowBundlePath, (await bundleWorkflows()).code);
  const client = await PerdureClient.connect({ address, taskQueue: TASK_QUEUE });
  let rss: number[] = [];
  const worker = await forkWorker(
    {
      fixture: new URL('memory.fixture.ts', import.meta.url),
      taskQueue: TASK_QUEUE,
      dataDirectory,
      options: { maxCachedWorkflows: conversations + AT_ONCE },
      onMessage: (message) => rss.push((message as MemoryReport).rss),
    },
    { address, workflowBundlePath },
  );
  const quiet = async () => {
    rss = [];
    while (rss.length < QUIET_REPORTS) await pause(200);
    return Math.max(...rss) / 1e6;
  };
  try {
    // The first ones pay for code and connections, whatever comes after them.
    await openIdle(client, AT_ONCE);
    const before = await quiet();
    await openIdle(client, conversations);
    const after = await quiet();
    const each = (after - before) / (conversations - AT_ONCE);
    console.log(`\nMemory of a worker, conversations of 100 entries of 2 KB, open and idle\n`);
    console.log(
      table(
        ['conversations', 'resident, MB', 'each more, MB'],
        [
          [String(AT_ONCE), before, ''],
          [String(conversations), after, each],
        ],
      ),
    );
  } finally {
    await worker.kill();
    await client.close();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

/** Starts conversations until so many are there, and waits until all of them wait for a message. */
async function openIdle(client: PerdureClient, conversations: number): Promise<void> {
  const idle = async () => {
    const query = `TaskQueue = '${TASK_QUEUE}' AND PerdureStatus = 'waiting_input'`;
    return (await client.temporal.workflow.count(query)).count;
  };
  const { count: open } = await client.temporal.workflow.count(`TaskQueue = '${TASK_QUEUE}'`);
  let started = open;
  for (;;) {
    const waiting = await idle();
    if (waiting >= conversations) return;
    for (; started < conversations && started - waiting < AT_ONCE; started++) {
      await client.start('bench', {
        id: `idle-${started}`,
        mode: 'chat',
        message: messageFor(STEPS, RESULT_BYTES, CALLS_PER_STEP),
      });
    }
    await pause(100);
  }
}
