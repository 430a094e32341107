import type { Command } from 'commander';
import { interruption } from '../interruption.ts';
import { ItemPrinter } from '../render/item-printer.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { withStores } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly from?: string;
}

export function watchCommand(): Command {
  return storesCommand('watch')
    .description(
      'everything that happened in a conversation, then what happens, until it has ended',
    )
    .argument('<conversation>', 'the conversation’s id')
    .option(
      '--from <cursor>',
      '"now", or the cursor of an item of `watch --json`: only what comes after it',
    )
    .action(async (id: string, options: Options) => {
      await withStores(options, async ({ client, print }) => {
        const printer = new ItemPrinter(
          { text: print.piece, line: print.text },
          { conversationId: id, showsLive: true },
        );
        const { from } = options;
        const { signal, end } = interruption();
        for await (const item of client.handle(id).watch({ from, signal })) {
          print.data(item);
          if (!print.json) printer.print(item);
        }
        printer.endText();
        end();
      });
    });
}
