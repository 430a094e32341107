import type { Command } from 'commander';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { withClient } from '../with-client.ts';

export function cancelCommand(): Command {
  return serverCommand('cancel')
    .description('interrupt the running turn and end the conversation as cancelled')
    .argument('<conversation>', 'the conversation’s id')
    .action(async (id: string, options: ServerOptions) => {
      await withClient(options, async ({ client, print }) => {
        await client.handle(id).cancel();
        print.data({ conversation: id, sent: 'cancel' });
        print.text(`cancel sent to ${id}`);
      });
    });
}
