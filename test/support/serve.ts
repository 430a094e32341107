import { DefaultLogger, Runtime } from '@temporalio/worker';
import { checkConfig } from '../../src/define-config.ts';
import { startWorker } from '../../src/worker.ts';

/** A worker as a process of its own, for tests that kill it: `serve.ts <fixture> <where as JSON>`. */
interface Where {
  readonly address: string;
  readonly taskQueue: string;
  readonly dataDir: string;
  readonly workflowBundlePath: string;
  readonly logLevel: 'WARN' | 'ERROR';
  readonly heartbeatTimeout?: number;
  readonly handOver?: { readonly bytes: number; readonly events: number };
  /** Passed to the fixture's default export. */
  readonly fixture?: unknown;
}

const [fixturePath, whereJson] = process.argv.slice(2);
if (fixturePath === undefined || whereJson === undefined)
  throw new Error('usage: serve.ts <fixture> <where>');
const where = JSON.parse(whereJson) as Where;
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
Runtime.install({ logger: new DefaultLogger(where.logLevel) });
const { default: makeConfig } = (await import(fixturePath)) as {
  default: (options: unknown) => object;
};
const config = checkConfig({
  deployPatience: 0,
  heartbeatTimeout: where.heartbeatTimeout ?? 60_000,
  ...makeConfig(where.fixture),
  taskQueue: where.taskQueue,
  dataDir: where.dataDir,
});
const worker = await startWorker(
  config,
  { address: where.address },
  {
    workflowBundle: { codePath: where.workflowBundlePath },
    ...(where.handOver === undefined ? {} : { handOver: where.handOver }),
  },
);
const running = worker.run();
process.send?.('ready');
await running;
process.exit(0);
