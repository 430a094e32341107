import { once } from 'node:events';
import { inspect } from 'node:util';
import { CliError } from '../cli-error.ts';
import { loadAgentsFile } from '../agents-file.ts';
import { EXIT } from '../exit-codes.ts';
import { oneLine } from '../report-error.ts';
import { runWorker } from '../run-worker.ts';
import type { FromWorker, Serve } from './messages.ts';

/** The worker process of `perdure dev`: loads the agents while the server starts, then serves them. */
async function main(): Promise<void> {
  const path = process.argv[2];
  if (path === undefined || process.send === undefined) {
    throw new CliError('this file is the worker process of perdure dev, and is started by it');
  }
  // A parent that is gone, even by SIGKILL, must not leave a worker behind.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  const serving = once(process, 'message');
  const { config } = await loadAgentsFile(path, (file) => tell({ kind: 'imported', file }));
  tell({ kind: 'loaded', agents: config.agents.map(nameOf) });
  const [serve] = (await serving) as [Serve];
  await runWorker(config, {
    ...serve,
    // One worker: what it does not know, nobody knows.
    deployPatience: 0,
    logLevel: process.argv.includes('--debug') ? 'debug' : 'warn',
    onReady: () => tell({ kind: 'ready' }),
  });
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

function nameOf(agent: unknown): string {
  return typeof agent === 'object' && agent !== null && 'name' in agent ? String(agent.name) : '';
}

try {
  await main();
  process.exit(EXIT.ok);
} catch (error) {
  if (process.argv.includes('--debug')) process.stderr.write(`${inspect(error)}\n`);
  tell({ kind: 'failed', message: oneLine(error) });
  process.exit(EXIT.failed);
}
