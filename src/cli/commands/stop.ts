import type { Command } from 'commander';
import { whoIsHere } from '../by.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { withClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly by?: string;
  readonly reason?: string;
}

export function stopCommand(): Command {
  return serverCommand('stop')
    .description('interrupt the running turn; the conversation stays usable')
    .argument('<conversation>', 'the conversation’s id')
    .option('--reason <text>', 'why')
    .option('--by <id>', 'who stops it (default: the system’s user)')
    .action(async (id: string, options: Options) => {
      await withClient(options, async ({ client, print }) => {
        await client.handle(id).stop({ by: whoIsHere(options.by), reason: options.reason });
        print.data({ conversation: id, sent: 'stop' });
        print.text(`stop sent to ${id}`);
      });
    });
}
