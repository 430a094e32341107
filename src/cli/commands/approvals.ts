import type { Command } from 'commander';
import { createInterface, type Interface } from 'node:readline/promises';
import type { ApprovalFilter, PendingApprovalInfo } from '../../client/list-approvals.ts';
import { durationMs } from '../../core/duration.ts';
import { answerApprovals } from '../answer-approvals.ts';
import { whoIsHere } from '../by.ts';
import { CliError } from '../cli-error.ts';
import { shortKey } from '../find-call.ts';
import { tinted } from '../print.ts';
import { requestRemarks } from '../render/request-words.ts';
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
        const unanswered = new Set<string>();
        const filter: ApprovalFilter = {
          agent,
          tool,
          askedOf,
          olderThan: durationMs(options.olderThan),
          onUnanswered: (id, error) => {
            if (!unanswered.has(id)) print.note(oneLine(error));
            unanswered.add(id);
          },
        };
        const find = async (): Promise<PendingApprovalInfo[]> => {
          const found: PendingApprovalInfo[] = [];
          for await (const info of client.approvals.list(filter)) found.push(info);
          return found.sort((a, b) => a.request.requestedAt.localeCompare(b.request.requestedAt));
        };
        if (options.watch) {
          await answerApprovals(terminal(), find, {
            handleOf: (id) => client.handle(id),
            by: whoIsHere(options.by),
            say: print.note,
          });
          return;
        }
        const found = await waitWithSpinner('Asking the conversations', find());
        print.data(found);
        if (found.length > 0) print.text(table(HEADINGS, found.map(row)));
        print.note(summaryLine(found));
      });
    });
}

function terminal(): Interface {
  if (process.stdin.isTTY) {
    return createInterface({ input: process.stdin, output: process.stderr });
  }
  throw new CliError('--watch answers at a prompt, and this is no terminal: use perdure approve');
}

const HEADINGS = ['AGE', 'CONVERSATION', 'CALL', 'TOOL', 'WHAT IT WILL DO', ''];

function row({ conversationId, request }: PendingApprovalInfo): string[] {
  const { tool, summary, danger, kind } = request;
  return [
    age(request.requestedAt),
    conversationId,
    shortKey(request, conversationId),
    kind === 'budget' ? '(budget)' : tinted(danger ? 'waiting' : 'plain', tool ?? ''),
    summary,
    requestRemarks(request).join('  '),
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
