import type { Command } from 'commander';
import type { ApprovalFilter, PendingApprovalInfo } from '../../client/list-approvals.ts';
import { durationMs } from '../../core/duration.ts';
import { answerApprovals } from '../answer-approvals.ts';
import { CliError } from '../cli-error.ts';
import { shortKey } from '../find-call.ts';
import { tinted } from '../print.ts';
import { oneLine } from '../report-error.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { table } from '../table.ts';
import { waitWithSpinner } from '../wait-with-spinner.ts';
import { withStores } from '../with-client.ts';
import { age, count } from '../words.ts';

interface Options extends ServerOptions {
  readonly agent?: string;
  readonly tool?: string;
  readonly askedOf?: string;
  readonly olderThan?: string;
  readonly watch: boolean;
  readonly by?: string;
}

export function approvalsCommand(): Command {
  return storesCommand('approvals')
    .description('list the calls that wait for a person, the newest last')
    .option('--agent <name>', 'only calls of this agent')
    .option('--tool <name>', 'only calls of this tool')
    .option('--asked-of <whom>', 'only those asked of this person or group')
    .option('--older-than <duration>', 'only those that have waited this long, such as "2 hours"')
    .option('--watch', 'stay, and answer at the prompt', false)
    .option('--by <id>', 'who decides, with --watch (default: the system’s user)')
    .action(async (options: Options) => {
      if (options.olderThan !== undefined && durationMs(options.olderThan) === undefined) {
        throw new CliError(
          `--older-than: expected a duration such as "2 hours", got "${options.olderThan}"`,
        );
      }
      const { agent, tool, askedOf } = options;
      await withStores(options, async ({ client, print }) => {
        const filter: ApprovalFilter = {
          agent,
          tool,
          askedOf,
          olderThan: durationMs(options.olderThan),
          onUnanswered: (_id, error) => print.note(oneLine(error)),
        };
        const find = async (): Promise<PendingApprovalInfo[]> => {
          const found: PendingApprovalInfo[] = [];
          for await (const info of client.approvals.list(filter)) found.push(info);
          return found.sort((a, b) => a.request.requestedAt.localeCompare(b.request.requestedAt));
        };
        if (options.watch) {
          await answerApprovals(client, find, options);
          return;
        }
        const found = await waitWithSpinner('Asking the conversations', find());
        print.data(found);
        if (found.length > 0) print.text(table(HEADINGS, found.map(row)));
        print.note(summaryLine(found));
      });
    });
}

const HEADINGS = ['AGE', 'CONVERSATION', 'CALL', 'TOOL', 'WHAT IT WILL DO', ''];

function row({ conversationId, request }: PendingApprovalInfo): string[] {
  const { expiresAt, askedOf, tool, summary, danger, kind, verdicts, quorum } = request;
  const remarks = [
    askedOf === undefined ? '' : `asked of ${askedOf}`,
    quorum === undefined || quorum < 2 ? '' : `${verdicts.length} of ${quorum}`,
    expiresAt === undefined ? '' : `until ${expiresAt}`,
  ];
  return [
    age(request.requestedAt),
    conversationId,
    shortKey(request, conversationId),
    kind === 'budget' ? '(budget)' : tinted(danger ? 'waiting' : 'plain', tool ?? ''),
    summary,
    remarks.filter((remark) => remark !== '').join('  '),
  ];
}

function summaryLine(found: readonly PendingApprovalInfo[]): string {
  const [oldest] = found;
  if (oldest === undefined) return 'nothing waits for an approval';
  const conversations = new Set(found.map(({ conversationId }) => conversationId)).size;
  return (
    `${count(found.length, 'approval')} in ${count(conversations, 'conversation')}, ` +
    `the oldest for ${age(oldest.request.requestedAt)}: perdure approve|deny <conversation> <call>`
  );
}
