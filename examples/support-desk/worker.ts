import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createWorker } from 'perdure/worker';
import { BOOK, supportDesk } from './perdure.config.ts';
import { openDesk } from './desk.ts';

/** The support desk's worker as a process of its own; the quickstart starts it, kills it, starts it again. */
const [address, dataDir] = process.argv.slice(2);
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// The quickstart tells the story; the worker speaks only of trouble.
Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await createWorker({
  agents: [supportDesk],
  deps: { desk: openDesk(BOOK) },
  ...(address === undefined ? {} : { address }),
  ...(dataDir === undefined ? {} : { dataDir }),
  deployPatience: 0,
});
const running = worker.run();
process.send?.('ready');
await running;
process.exit(0);
