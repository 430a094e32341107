import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import type { CompletedConversation, ConversationHandle, WatchItem } from '../../client/index.ts';
import { ConversationFailed } from '../../client/errors/conversation-failed.ts';
import type { PerdureClient } from '../../client/perdure-client.ts';
import { ApprovalDesk, waitingIn } from '../approval-desk.ts';
import { whoIsHere } from '../by.ts';
import { countPollers } from '../doctor/check-workers.ts';
import { EXIT } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { messageText } from '../message-text.ts';
import type { Print } from '../print.ts';
import { ItemPrinter } from '../render/item-printer.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { addStartOptions, startArgument, type StartFlags } from '../start-options.ts';
import { withStores } from '../with-client.ts';

interface Options extends ServerOptions, StartFlags {
  readonly wait: boolean;
  readonly quiet: boolean;
}

export function runCommand(): Command {
  const command = storesCommand('run')
    .description('give an agent a task, watch it work, print its answer')
    .argument('<agent>', 'the agent’s name')
    .argument('[message]', 'the task; left out: from standard input')
    .option('--no-wait', 'leave when it waits for an approval (exit code 4); it goes on by itself')
    .option('-q, --quiet', 'print the answer only', false)
    .addHelpText(
      'after',
      '\nExit codes: 0 completed, 1 failed, 2 not usable as typed, 3 ended by a limit, 4 waits for an approval (--no-wait), 130 interrupted.',
    );
  return addStartOptions(command).action(
    async (agent: string, message: string | undefined, options: Options) => {
      const text = await messageText(message);
      const start = { ...(await startArgument(options)), mode: 'task' as const, message: text };
      await withStores(options, async ({ client, print }) => {
        const conversation = await client.start(agent, start);
        if (!options.quiet) print.note(`conversation ${conversation.id}`);
        await noteMissingWorker(client, print);
        process.exitCode = await follow(conversation, options, print);
      });
    },
  );
}

export async function noteMissingWorker(client: PerdureClient, print: Print): Promise<void> {
  const pollers = await countPollers(client).catch(() => 1);
  if (pollers > 0) return;
  print.note(
    `no worker polls the task queue "${client.taskQueue}": it waits until one does (perdure worker, perdure dev)`,
  );
}

async function follow(
  conversation: ConversationHandle,
  options: Options,
  print: Print,
): Promise<number> {
  const { id } = conversation;
  const isTerminal = Boolean(process.stdout.isTTY) && !print.json;
  const { signal, interrupt, end } = interruption();
  const readline = process.stdin.isTTY
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined;
  readline?.on('SIGINT', interrupt);
  const by = whoIsHere(options.by);
  const desk =
    readline === undefined
      ? undefined
      : new ApprovalDesk(readline, { handleOf: () => conversation, by, say: print.note });
  const printer = new ItemPrinter(
    {
      text: (piece) => (isTerminal ? process.stdout : process.stderr).write(piece),
      line: (line) => print.note(line),
    },
    { conversationId: id, showsLive: isTerminal, asksElsewhere: desk !== undefined },
  );
  try {
    for await (const item of conversation.watch({ signal })) {
      if (!options.quiet && !isFrame(item)) printer.print(item);
      if (item.kind !== 'waiting') continue;
      if (item.approvals.length > 0 && !options.wait) {
        print.data({ conversation: id, waiting: item.approvals });
        return EXIT.waiting;
      }
      desk?.show(waitingIn(id, item));
    }
    if (signal.aborted) {
      print.note(`it goes on: perdure watch ${id}, perdure stop ${id}`);
      return EXIT.interrupted;
    }
    const result = await conversation.result();
    print.data({ conversation: id, ...result });
    const isPrinted = isTerminal && !options.quiet && printer.lastText === result.text;
    if (!isPrinted && result.text !== '') print.text(result.text);
    return exitCodeOf(result, print);
  } catch (error) {
    if (error instanceof ConversationFailed) print.data(failureOf(error));
    throw error;
  } finally {
    desk?.close();
    readline?.close();
    end();
  }
}

/** The start, its message and the end: the command says them in its own way. */
function isFrame(item: WatchItem): boolean {
  if (item.kind !== 'recorded') return false;
  const { recorded } = item;
  const isFirstMessage = recorded.type === 'entry' && recorded.n === 0;
  return recorded.type === 'started' || recorded.type === 'ended' || isFirstMessage;
}

function exitCodeOf({ status, stopReason }: CompletedConversation, print: Print): number {
  if (status === 'completed') return EXIT.ok;
  print.note(`not finished: ${stopReason}`);
  return EXIT.partial;
}

function failureOf({ conversationId, end, type, result }: ConversationFailed) {
  return {
    conversation: conversationId,
    status: end,
    type,
    ...(result === undefined ? {} : { result }),
  };
}
