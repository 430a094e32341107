import type { Command } from 'commander';
import { resetTo } from '../../client/stuck-task.ts';
import type { ConversationRecord } from '../../client/index.ts';
import type { RequestFindings } from '../../worker/lint-conversation.ts';
import { CliError } from '../cli-error.ts';
import { confirmed } from '../confirmed.ts';
import { EXIT } from '../exit-codes.ts';
import { examineTask, type Stuck } from '../repair/examine-task.ts';
import { requestLines, taskLines } from '../repair/repair-lines.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { type Here, withStores } from '../with-client.ts';
import type { SettingsHere } from '../settings-here.ts';

interface Options extends ServerOptions {
  readonly apply: boolean;
  readonly force: boolean;
}

export function repairCommand(): Command {
  return storesCommand('repair')
    .description('say what is broken in a conversation, and how it is mended')
    .argument('<conversation>', 'the conversation’s id')
    .option('--apply', 'reset a conversation that is stuck to where it can go on', false)
    .option('--force', 'although calls with effect "once" run again', false)
    .action(async (id: string, options: Options) => {
      await withStores(options, (here) => repair(id, options, here));
    });
}

async function repair(
  id: string,
  { apply, force }: Options,
  { client, print, settings }: Here & { readonly settings: SettingsHere },
): Promise<void> {
  const record = await waitWithSpinner('Reading the history', client.handle(id).record());
  const { temporal } = client;
  const stuck = await waitWithSpinner('Replaying', examineTask(temporal, record));
  const requests = await waitWithSpinner('Linting', examineRequests(temporal, settings, record));
  for (const line of taskLines(record, stuck)) print.text(line);
  for (const line of requestLines(requests)) print.text(line);
  const point = stuck?.replayed.replays === false ? stuck.replayed.resetTo : undefined;
  let newRun: string | undefined;
  if (apply && stuck !== undefined && point !== undefined) {
    const risky = stuck.again?.calls.filter(({ effect }) => effect === 'once') ?? [];
    if (risky.length > 0 && !force) {
      throw new CliError(
        `calls that act once would run again (${risky.map(({ summary }) => summary).join('; ')}): --force says that they may`,
        { exitCode: EXIT.failed },
      );
    }
    if (!(await confirmed(`Reset ${id} to event ${point}?`)))
      throw new CliError('nothing was reset');
    const reason = 'perdure repair';
    newRun = await resetTo(temporal, id, stuck.task, { eventId: point, reason });
    print.text(`reset: ${id} goes on in run ${newRun}`);
  } else if (apply) {
    print.text('nothing to apply');
  } else if (point !== undefined) {
    print.text(`→ perdure repair ${id} --apply`);
  }
  print.data({ conversation: id, stuck: stuckData(stuck), requests, newRun });
}

async function examineRequests(
  client: Here['client']['temporal'],
  { agents, blobs }: SettingsHere,
  record: ConversationRecord,
): Promise<RequestFindings> {
  const { lintConversation } = await import('../../worker/lint-conversation.ts');
  return lintConversation({ client, blobs, record, agents });
}

function stuckData(stuck: Stuck | undefined) {
  if (stuck === undefined) return null;
  const { task, replayed, again } = stuck;
  return { attempt: task.attempt, reason: task.reason, ...replayed, ...again };
}
