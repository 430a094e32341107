import { once } from 'node:events';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { checkConfig, type PerdureConfig } from '../../define-config.ts';
import { startWorker } from '../../worker.ts';
import { aroundAttempts, effectClassOf, instrumentAgents } from './instrument.ts';
import type { Serve, WorkerArguments } from './messages.ts';
import { openPointLine, tellDriver } from './point-line.ts';

/**
 * The worker process of a crash test: loads the configuration, then waits to be told where to serve,
 * so that the next process is ready at once when this one is killed.
 */
async function main(): Promise<void> {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const serving = once(process, 'message') as Promise<[Serve]>;
  const config = await loadConfig(JSON.parse(process.argv[2] ?? '') as WorkerArguments);
  const tools = config.agents.flatMap((agent) => agent.tools);
  tellDriver({
    kind: 'loaded',
    effects: [...new Set(tools.map(effectClassOf))],
    asks:
      tools.some(({ needsApproval }) => needsApproval !== false) ||
      config.agents.some(({ control }) => control === 'approve'),
  });
  const [where] = await serving;
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const line = openPointLine();
  const instrumented = instrumentAgents(config, line);
  const { workflowBundlePath: codePath, handOverEvents: events } = where;
  const worker = await startWorker(
    {
      // One worker: what it does not know, nobody knows.
      deployPatience: 0,
      ...instrumented,
      heartbeatTimeout: where.heartbeatTimeoutMs,
      taskQueue: where.taskQueue,
      dataDir: where.dataDirectory,
    },
    { address: where.address, namespace: where.namespace },
    {
      around: aroundAttempts(config.agents, line),
      ...(codePath === undefined ? {} : { workflowBundle: { codePath } }),
      ...(events === undefined ? {} : { handOver: { bytes: 3_000_000, events } }),
    },
  );
  const running = worker.run();
  tellDriver({ kind: 'ready' });
  await running;
}

async function loadConfig({ config: url, options }: WorkerArguments): Promise<PerdureConfig> {
  const loaded = (await import(url)) as Record<string, unknown>;
  const exported = loaded['default'];
  const made: unknown =
    typeof exported === 'function' ? await (exported(options) as unknown) : exported;
  return checkConfig(made);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tellDriver({ kind: 'failed', message });
  process.exit(1);
}
