import type { Command } from 'commander';
import type { DeletedConversation } from '../../client/delete-conversation.ts';
import { CliError } from '../cli-error.ts';
import { confirmed } from '../confirmed.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withStores } from '../with-client.ts';
import { count } from '../words.ts';

interface Options extends ServerOptions {
  readonly force: boolean;
}

export function deleteCommand(): Command {
  return storesCommand('delete')
    .description('remove a conversation for good: its histories, blobs, kept transcript, events')
    .argument('<conversation>', 'the conversation’s id')
    .option('--force', 'also one that runs, which ends at once; ask nothing', false)
    .action(async (id: string, options: Options) => {
      await withStores(options, async ({ client, print }) => {
        const { force } = options;
        if (!force && !(await confirmed(`Delete conversation ${id} for good?`))) {
          throw new CliError('nothing was deleted');
        }
        const deleting = client.handle(id).delete({ force });
        const deleted = await waitWithSpinner('Deleting', deleting);
        print.data({ conversation: id, ...deleted });
        print.text(words(id, deleted));
      });
    });
}

function words(id: string, { runs, blobs = 0 }: DeletedConversation): string {
  if (runs === 0 && blobs === 0)
    return `nothing is left of ${id}: the server knows no such conversation`;
  return `deleted ${id}: ${count(runs, 'run')}, ${count(blobs, 'blob')}, its live events`;
}
