import type { Command } from 'commander';
import { whoIsHere } from '../by.ts';
import { findCall } from '../find-call.ts';
import { sayVerdict } from '../say-verdict.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly by?: string;
  readonly reason?: string;
}

export function denyCommand(): Command {
  return serverCommand('deny')
    .description('refuse a call that waits for a person; the agent goes on without it')
    .argument('<conversation>', 'the conversation’s id')
    .argument('[call]', 'the call’s key or id; may be left out where only one waits')
    .option('--reason <text>', 'shown to the model, word for word')
    .option('--by <id>', 'who decides (default: the system’s user)')
    .action(async (id: string, call: string | undefined, options: Options) => {
      await withClient(options, async ({ client, print }) => {
        const conversation = client.handle(id);
        const found = await findCall(conversation, call);
        const target = 'key' in found ? { key: found.key } : found;
        const verdict = { by: whoIsHere(options.by), reason: options.reason };
        const receipt = await waitWithSpinner('Sending', conversation.deny(target, verdict));
        sayVerdict(print, 'deny', receipt);
      });
    });
}
