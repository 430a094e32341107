import { setTimeout as pause } from 'node:timers/promises';
import { PerdureClient } from '../src/client/index.ts';
import { messageFor } from './agent.ts';
import { table } from './measure.ts';
import { usageOf } from './process-usage.ts';
import { workerProcesses } from './worker-processes.ts';

/** A message, so many steps of so many calls, and an answer: 100 entries. */
const STEPS = 3;
const CALLS_PER_STEP = 32;
const RESULT_BYTES = 2_000;
/** Conversations that work at the same time while the others are idle. */
const AT_ONCE = 16;
/** What a busy time leaves behind is collected and given back within this long. */
const QUIET_MS = 30_000;
const TASK_QUEUE = 'bench-memory';

/** Resident memory of a worker with so many open, idle conversations. */
export async function measureMemory(address: string, conversations: number): Promise<void> {
  const workers = await workerProcesses(address, {
    fixture: new URL('memory.fixture.ts', import.meta.url),
    taskQueue: TASK_QUEUE,
    options: { maxCachedWorkflows: conversations + AT_ONCE },
  });
  const client = await PerdureClient.connect({ address, taskQueue: TASK_QUEUE });
  const worker = await workers.start();
  const resident = async () => {
    await pause(QUIET_MS);
    return (await usageOf(worker.pid)).bytes / 1e6;
  };
  try {
    // The first ones pay for code and connections, whatever comes after them.
    await openIdle(client, AT_ONCE);
    const before = await resident();
    await openIdle(client, conversations);
    const after = await resident();
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
    await client.close();
    await workers.end();
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
