import { DefaultLogger, Runtime } from '@temporalio/worker';
import { openDesk } from '../../examples/support-desk/desk.ts';
import { supportModel } from '../../examples/support-desk/model.ts';
import config, { supportDesk } from '../../examples/support-desk/perdure.config.ts';
import { startWorker } from '../../src/worker.ts';

/** The example's agent on workers of one process, each with the model that its settings say. */
export interface SupportDesks {
  readonly address: string;
  readonly workflowBundlePath: string;
  readonly dataDirectory: string;
  readonly desks: readonly {
    readonly taskQueue: string;
    readonly book: string;
    readonly settings: Readonly<Record<string, string>>;
  }[];
}

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
Runtime.install({ logger: new DefaultLogger('ERROR') });
const { address, workflowBundlePath, dataDirectory, desks } = JSON.parse(
  process.argv[2] ?? '',
) as SupportDesks;
const workers = [];
for (const { taskQueue, book, settings } of desks) {
  workers.push(
    await startWorker(
      {
        ...config,
        agents: [{ ...supportDesk, models: [supportModel(settings)] }],
        deps: { desk: openDesk(book) },
        taskQueue,
        dataDir: dataDirectory,
        deployPatience: 0,
      },
      { address },
      { workflowBundle: { codePath: workflowBundlePath } },
    ),
  );
}
const running = workers.map((worker) => worker.run());
process.send?.('ready');
await Promise.all(running);
process.exit(0);
