import type { Command } from 'commander';
import type { ApproveOptions } from '../../client/decide.ts';
import type { Remember } from '../../core/verdict.ts';
import { whoIsHere } from '../by.ts';
import { findCall } from '../find-call.ts';
import { readJson } from '../read-json.ts';
import { sayVerdict } from '../say-verdict.ts';
import { serverCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withClient } from '../with-client.ts';

interface Options extends ServerOptions {
  readonly by?: string;
  readonly reason?: string;
  readonly input?: string;
  readonly remember?: true | string;
  readonly digest?: string;
}

export function approveCommand(): Command {
  return serverCommand('approve')
    .description('let a call run that waits for a person')
    .argument('<conversation>', 'the conversation’s id')
    .argument('[call]', 'the call’s key or id; may be left out where only one waits')
    .option('--reason <text>', 'kept in the audit')
    .option('--input <json>', 'other arguments: JSON, or @file')
    .option(
      '--remember [what]',
      'do not ask again in this conversation: for the tool, for `exact` this input, or for JSON pointers (`/currency,/shop`)',
    )
    .option('--digest <digest>', 'refuse when the arguments are not those with this digest')
    .option('--by <id>', 'who decides (default: the system’s user)')
    .action(async (id: string, call: string | undefined, options: Options) => {
      const input =
        options.input === undefined ? undefined : await readJson('--input', options.input);
      await withClient(options, async ({ client, print }) => {
        const conversation = client.handle(id);
        const found = await findCall(conversation, call);
        const seen = 'digest' in found ? found.digest : undefined;
        const verdict: ApproveOptions = {
          by: whoIsHere(options.by),
          reason: options.reason,
          input,
          remember: options.remember === undefined ? undefined : remembered(options.remember),
          digest: options.digest ?? seen,
        };
        const target = 'key' in found ? { key: found.key } : found;
        const receipt = await waitWithSpinner('Sending', conversation.approve(target, verdict));
        sayVerdict(print, 'approve', receipt);
      });
    });
}

function remembered(what: true | string): Remember {
  if (what === true || what === 'tool') return 'conversation';
  return { scope: 'conversation', match: what === 'exact' ? 'exact' : what.split(',') };
}
