import type { Command } from 'commander';
import { whoIsHere } from '../by.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { withClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly by?: string;
}

export function closeCommand(): Command {
  return serverCommand('close')
    .description('let the running turn finish, then end the conversation')
    .argument('<conversation>', 'the conversation’s id')
    .option('--by <id>', 'who closes it (default: the system’s user)')
    .action(async (id: string, options: Options) => {
      await withClient(options, async ({ client, print }) => {
        await client.handle(id).close({ by: whoIsHere(options.by) });
        print.data({ conversation: id, sent: 'close' });
        print.text(`close sent to ${id}`);
      });
    });
}
