import type { Command } from 'commander';
import type { ConversationHandle } from '../../client/conversation-handle.ts';
import { whoIsHere } from '../by.ts';
import { CliError } from '../cli-error.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly by?: string;
  readonly reason?: string;
}

export function revokeCommand(): Command {
  return serverCommand('revoke')
    .description('take back what an approval asked to remember: the tool is asked about again')
    .argument('<conversation>', 'the conversation’s id')
    .argument('[rule]', 'the rule’s id; may be left out where only one is remembered')
    .option('--reason <text>', 'kept in the audit')
    .option('--by <id>', 'who takes it back (default: the system’s user)')
    .action(async (id: string, rule: string | undefined, options: Options) => {
      await withClient(options, async ({ client, print }) => {
        const conversation = client.handle(id);
        const meant = rule ?? (await onlyRule(conversation));
        const by = whoIsHere(options.by);
        const sent = conversation.revoke(meant, { by, reason: options.reason });
        const receipt = await waitWithSpinner('Sending', sent);
        print.data(receipt);
        print.text(
          receipt.via === 'update'
            ? `revoked ${receipt.rule}: ${receipt.tool} is asked about again`
            : `revoked ${receipt.rule}: no worker answers; it is kept, and applied when one is back`,
        );
      });
    });
}

async function onlyRule(conversation: ConversationHandle): Promise<string> {
  const { rules } = await conversation.status();
  const [only] = rules;
  if (only !== undefined && rules.length === 1) return only.id;
  throw new CliError(
    rules.length === 0
      ? `nothing is remembered in "${conversation.id}"`
      : `${rules.length} rules are remembered in "${conversation.id}": name one of ${rules.map(({ id, tool }) => `${id} (${tool})`).join(', ')}`,
  );
}
