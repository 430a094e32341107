import { type Command, Option } from 'commander';
import type { ConversationInfo, ConversationLife } from '../../client/conversation-info.ts';
import type { Status } from '../../core/status.ts';
import { CliError } from '../cli-error.ts';
import { tinted } from '../print.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { table } from '../table.ts';
import { withStores } from '../with-client.ts';
import { age, count } from '../words.ts';

interface Options extends ServerOptions {
  readonly agent?: string;
  readonly life?: ConversationLife;
  readonly status?: Status;
  readonly tenant?: string;
  readonly tag?: string;
  readonly stuck: boolean;
  readonly limit: string;
}

export function lsCommand(): Command {
  return storesCommand('ls')
    .description('list conversations, the newest first')
    .option('--agent <name>', 'only those with this agent')
    .addOption(
      new Option('--life <life>', 'how far they are').choices([
        'running',
        'completed',
        'failed',
        'cancelled',
        'terminated',
        'timed_out',
      ]),
    )
    .addOption(
      new Option('--status <status>', 'what running ones are doing').choices([
        'starting',
        'running',
        'waiting_input',
        'waiting_approval',
        'waiting_model',
        'waiting_worker',
        'handing_over',
        'closing',
      ]),
    )
    .option('--tenant <id>', 'only those of this tenant')
    .option('--tag <tag>', 'only those with this tag')
    .option('--stuck', 'only those whose workflow task keeps failing', false)
    .option('--limit <n>', 'at most this many', '50')
    .action(async (options: Options) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1) {
        throw new CliError(`--limit: expected a number from 1, got "${options.limit}"`);
      }
      await withStores(options, async ({ client, print }) => {
        const { agent, life, status, tenant, tag, stuck } = options;
        const found: ConversationInfo[] = [];
        let more = false;
        for await (const info of client.list({ agent, life, status, tenant, tag, stuck })) {
          more = found.length === limit;
          if (more) break;
          found.push(info);
        }
        print.data(found);
        if (found.length === 0) print.note('no conversations');
        else print.text(table(['CONVERSATION', 'AGENT', 'STATE', 'AGE', ''], found.map(row)));
        if (more) print.note(`only the newest ${count(limit, 'conversation')}: --limit shows more`);
      });
    });
}

function row(info: ConversationInfo): string[] {
  const remarks = [
    info.pending !== undefined && info.pending > 0 ? count(info.pending, 'approval') : '',
    info.problems === undefined ? '' : tinted('bad', `stuck: ${info.problems.join(', ')}`),
    info.tenant ?? '',
    ...(info.tags ?? []).map((tag) => `#${tag}`),
  ];
  return [
    info.id,
    info.agent,
    state(info),
    age(info.startedAt),
    remarks.filter((remark) => remark !== '').join('  '),
  ];
}

function state({ life, status }: ConversationInfo): string {
  if (life === 'running') {
    const word = status ?? 'running';
    return tinted(word.startsWith('waiting') ? 'waiting' : 'plain', word);
  }
  return tinted(life === 'completed' ? 'ok' : 'bad', life);
}
