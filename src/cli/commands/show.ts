import type { Command } from 'commander';
import type { ConversationInfo, ConversationRecord } from '../../client/index.ts';
import { recordLines } from '../render/record-lines.ts';
import { bold, dim, tinted } from '../print.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withStores } from '../with-client.ts';
import { age } from '../words.ts';

export function showCommand(): Command {
  return storesCommand('show')
    .description(
      'the transcript of a conversation, with calls, decisions and attempts; needs no worker',
    )
    .argument('<conversation>', 'the conversation’s id')
    .action(async (id: string, options: ServerOptions) => {
      await withStores(options, async ({ client, print }) => {
        const conversation = client.handle(id);
        const record = await waitWithSpinner('Reading the history', conversation.record());
        const info = record.keptAt === undefined ? await conversation.describe() : undefined;
        print.data({ ...info, ...record });
        print.text(info === undefined ? keptHeading(record) : heading(info));
        for (const line of recordLines(record)) print.text(line);
      });
    });
}

/** Of a conversation that the server has let go. */
function keptHeading({ workflowId, agent, status, keptAt = '' }: ConversationRecord): string {
  const tint = status === 'COMPLETED' ? 'ok' : 'bad';
  const when = dim(`ended ${age(keptAt)} ago, kept`);
  return `${bold(workflowId)}  ${agent}  ${tinted(tint, status.toLowerCase())}  ${when}`;
}

function heading({
  id,
  agent,
  life,
  status,
  startedAt,
  closedAt,
  problems,
}: ConversationInfo): string {
  const state = life === 'running' ? (status ?? life) : life;
  const tint = life === 'completed' ? 'ok' : life === 'running' ? 'waiting' : 'bad';
  const when =
    closedAt === undefined ? `started ${age(startedAt)} ago` : `ended ${age(closedAt)} ago`;
  const stuck = problems === undefined ? '' : tinted('bad', `  stuck: ${problems.join(', ')}`);
  return `${bold(id)}  ${agent}  ${tinted(tint, state)}  ${dim(when)}${stuck}`;
}
