import { Command } from 'commander';
import type { Garbage, OwnerlessBlobs } from '../../client/collect-garbage.ts';
import { durationMs } from '../../core/duration.ts';
import { CliError } from '../cli-error.ts';
import { confirmed } from '../confirmed.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { table } from '../table.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withStores } from '../with-client.ts';
import { age, count, size } from '../words.ts';

interface Options extends ServerOptions {
  readonly olderThan: string;
  readonly apply: boolean;
  readonly force: boolean;
}

export function blobsCommand(): Command {
  const gc = storesCommand('gc')
    .description('find the blobs of conversations that the server does not know, and were not kept')
    .option('--apply', 'remove them; without it they are only listed', false)
    .option('--older-than <duration>', 'leave alone what has a younger blob', '1 day')
    .option('--force', 'although the server knows no conversation of the store at all', false)
    .action(collect)
    .exitOverride();
  return new Command('blobs').description('look after the blob store').addCommand(gc);
}

async function collect(options: Options): Promise<void> {
  const olderThan = durationMs(options.olderThan);
  if (olderThan === undefined) {
    throw new CliError(
      `--older-than: expected a duration such as "2 days", got "${options.olderThan}"`,
    );
  }
  const { apply, force } = options;
  await withStores(options, async ({ client, print }) => {
    const question = `Remove what the namespace "${client.namespace}" at ${client.address} does not know?`;
    if (apply && !(await confirmed(question))) throw new CliError('nothing was removed');
    const collecting = client.collectGarbage({ olderThan, apply, force });
    const found = await waitWithSpinner('Asking the server', collecting);
    print.data({ applied: apply, ...found });
    const { garbage } = found;
    if (garbage.length > 0) print.text(table(HEADINGS, garbage.map(row)));
    print.text(words(found, apply));
    if (garbage.length > 0 && !apply && found.known === 0) {
      print.note(
        `the namespace "${client.namespace}" at ${client.address} knows no conversation of this store: is it its store?`,
      );
    }
  });
}

const HEADINGS = ['CONVERSATION', 'BLOBS', 'SIZE', 'LAST PUT'];

function row({ conversationId, blobs, bytes, newestAt }: OwnerlessBlobs): string[] {
  return [conversationId, String(blobs), size(bytes), `${age(newestAt)} ago`];
}

function words({ garbage, known, kept, young }: Garbage, applied: boolean): string {
  const bytes = garbage.reduce((sum, each) => sum + each.bytes, 0);
  const verb = applied ? 'removed' : 'would be removed by --apply';
  return (
    `${count(garbage.length, 'conversation')}, ${size(bytes)} ${verb}; ` +
    `left alone: ${known} that the server knows, ${kept} kept, ${young} too young`
  );
}
