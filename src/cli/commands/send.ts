import type { Command } from 'commander';
import type { SendReceipt } from '../../client/send-message.ts';
import { whoIsHere } from '../by.ts';
import { messageText } from '../message-text.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly id?: string;
  readonly steer: boolean;
  readonly by?: string;
}

export function sendCommand(): Command {
  return serverCommand('send')
    .description('say something in a conversation')
    .argument('<conversation>', 'the conversation’s id')
    .argument('[message]', 'what to say; left out: from standard input')
    .option('--steer', 'at the next step of the running turn, not after it', false)
    .option('--id <id>', 'the message’s id: sent twice, it is taken once')
    .option('--by <id>', 'who says it (default: the system’s user)')
    .action(async (id: string, message: string | undefined, options: Options) => {
      const text = await messageText(message);
      await withClient(options, async ({ client, print }) => {
        const receipt = await waitWithSpinner(
          'Sending',
          client.handle(id).send(text, {
            id: options.id,
            when: options.steer ? 'steer' : 'queue',
            by: whoIsHere(options.by),
          }),
        );
        print.data(receipt);
        print.text(words(receipt));
      });
    });
}

function words(receipt: SendReceipt): string {
  if (receipt.via === 'signal') {
    return 'sent: no worker answers; it is kept, and taken when one is back';
  }
  switch (receipt.state) {
    case 'started':
      return `sent: turn ${receipt.turn} begins with it`;
    case 'queued':
      return `sent: it waits for turn ${receipt.turn}`;
    case 'steered':
      return `sent: it enters turn ${receipt.turn} at its next step`;
    case 'denied_pending':
      return `sent: what waited for an approval is denied, and turn ${receipt.turn} goes on with it`;
  }
}
