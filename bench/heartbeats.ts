import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PerdureClient } from '../src/client/index.ts';
import type { EmbeddedServer } from '../src/embedded-server/embedded-server.ts';
import { startCountingService } from '../test/support/counting-service.ts';
import { eachOf, quantile, table } from './measure.ts';
import { idleCpu } from './process-usage.ts';
import { workerProcesses } from './worker-processes.ts';

const TASK_QUEUE = 'bench-heartbeats';
const AT_ONCE = 16;
/** For what the starts left behind. */
const SETTLE_MS = 15_000;

/** What the heartbeats of calls that run cost, and how soon such a call hears of a stop. */
export async function measureHeartbeats(
  { address, pid }: EmbeddedServer,
  { calls, seconds }: { readonly calls: number; readonly seconds: number },
): Promise<void> {
  const service = await startCountingService();
  const workers = await workerProcesses(address, {
    fixture: new URL('heartbeats.fixture.ts', import.meta.url),
    taskQueue: TASK_QUEUE,
    options: { url: service.url },
  });
  const client = await PerdureClient.connect({ address, taskQueue: TASK_QUEUE });
  const worker = await workers.start();
  try {
    await sleep(SETTLE_MS);
    const idle = await idleCpu([worker.pid, pid], seconds);
    const ids = Array.from({ length: calls }, (_, n) => `guard-${n}`);
    await eachOf(ids, AT_ONCE, async (id) => {
      await client.start('guard', { id, message: 'Watch.' });
    });
    await service.until('began', calls, 120_000);
    await sleep(SETTLE_MS);
    const running = await idleCpu([worker.pid, pid], seconds);
    console.log(
      `\n${calls} calls that run, each with a heartbeat a second, over ${seconds} s (load ${loadavg()[0]?.toFixed(1)})\n`,
    );
    console.log(
      table(
        ['CPU, % of a core', 'worker', 'server'],
        [
          ['nothing runs', ...idle.map((ms) => ms / 10)],
          [`${calls} calls run`, ...running.map((ms) => ms / 10)],
          ['for each call', ...running.map((ms, n) => (ms - (idle[n] ?? 0)) / 10 / calls)],
        ],
      ),
    );

    const sentAt = new Map<string, number>();
    // One after the other: many at once would measure the workflow tasks of all of them.
    for (const id of ids) {
      sentAt.set(id, performance.timeOrigin + performance.now());
      await client.handle(id).stop({ reason: 'enough' });
    }
    await service.until('told', calls, 60_000);
    const told = service
      .of('told')
      .map(({ conversation, at }) => Number(at) - (sentAt.get(String(conversation)) ?? Number.NaN));
    console.log('\nMilliseconds from a stop to the signal of its tool\n');
    const [p50, p95, max] = [0.5, 0.95, 1].map((part) => quantile(told, part));
    console.log(table(['stops', 'p50', 'p95', 'max'], [[calls, p50 ?? 0, p95 ?? 0, max ?? 0]]));
  } finally {
    await client.close();
    await workers.end();
    await service.close();
  }
}
