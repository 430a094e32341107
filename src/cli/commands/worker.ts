import type { Command } from 'commander';
import { agentsFilePath, loadAgentsFile } from '../agents-file.ts';
import { printer } from '../print.ts';
import { runWorker } from '../run-worker.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { openClient } from '../with-client.ts';

export function workerCommand(): Command {
  return serverCommand('worker')
    .description('serve agents from a Temporal server, until SIGTERM or Ctrl-C')
    .argument('[file]', 'agents file (default: perdure.config.ts)')
    .action(async (file: string | undefined, options: ServerOptions) => {
      const { config } = await loadAgentsFile(agentsFilePath(file));
      // The client finds the server as all commands do, and says it clearly when there is none.
      const client = await openClient(options);
      const { address, namespace } = client;
      await client.close();
      const print = printer(options.json);
      await runWorker(config, {
        address,
        namespace,
        taskQueue: options.taskQueue,
        dataDirectory: options.dataDir,
        onReady: ({ agents, taskQueue }) => {
          print.data({ address, namespace, taskQueue, agents });
          print.text(`serving ${agents.join(', ')} on "${taskQueue}" at ${address}`);
        },
      });
    });
}
