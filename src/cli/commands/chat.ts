import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import type { ConversationHandle } from '../../client/index.ts';
import { ApprovalDesk } from '../approval-desk.ts';
import { whoIsHere } from '../by.ts';
import { ChatSession, typedLines } from '../chat-session.ts';
import { EXIT } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import type { Print } from '../print.ts';
import { ItemPrinter } from '../render/item-printer.ts';
import { storesCommand, type ServerOptions } from '../server-command.ts';
import { addStartOptions, startArgument, type StartFlags } from '../start-options.ts';
import { withStores } from '../with-client.ts';
import { noteMissingWorker } from './run.ts';

interface Options extends ServerOptions, StartFlags {
  readonly resume?: string;
}

export function chatCommand(): Command {
  const command = storesCommand('chat')
    .description('talk with an agent; Ctrl-C stops its turn, Ctrl-D leaves')
    .argument('<agent>', 'the agent’s name')
    .option('--resume <conversation>', 'go on with a conversation that was begun before');
  return addStartOptions(command).action(async (agent: string, options: Options) => {
    const start = { ...(await startArgument(options)), mode: 'chat' as const };
    await withStores(options, async ({ client, print }) => {
      const { resume } = options;
      const conversation =
        resume === undefined ? await client.start(agent, start) : client.handle(resume);
      if (resume !== undefined) await conversation.describe();
      print.note(`conversation ${conversation.id}`);
      await noteMissingWorker(client, print);
      process.exitCode = await talk(conversation, agent, options, print);
    });
  });
}

async function talk(
  conversation: ConversationHandle,
  agent: string,
  options: Options,
  print: Print,
): Promise<number> {
  const { id } = conversation;
  const isTerminal = Boolean(process.stdin.isTTY);
  const by = whoIsHere(options.by);
  const readline = createInterface({ input: process.stdin, output: process.stderr, prompt: '' });
  const desk = isTerminal
    ? new ApprovalDesk(readline, { handleOf: () => conversation, by, say: print.note })
    : undefined;
  const printer = new ItemPrinter(
    { text: (piece) => print.piece(piece), line: (line) => print.note(line) },
    {
      conversationId: id,
      showsLive: Boolean(process.stdout.isTTY) && !print.json,
      asksElsewhere: isTerminal,
    },
  );
  const session = new ChatSession(conversation, { print, printer, desk, by });
  const { signal, interrupt, end } = interruption();
  readline.on('SIGINT', () => {
    if (session.isBusy) void conversation.stop({ by }).catch(() => {});
    else interrupt();
  });
  const closeInput = () => readline.close();
  signal.addEventListener('abort', closeInput);
  const leaving = new AbortController();
  const watching = session.watch(
    options.resume === undefined ? undefined : 'now',
    AbortSignal.any([signal, leaving.signal]),
  );
  try {
    const prompt = isTerminal ? '> ' : '';
    for await (const line of typedLines(readline, { prompt, signal })) {
      await session.say(line, signal);
      if (session.hasEnded) break;
    }
    // Nobody will come back to a chat that was piped in.
    if (!isTerminal && options.resume === undefined && !session.hasEnded) {
      await conversation.close({ by });
      await watching;
    } else if (!session.hasEnded) {
      print.note(`\nit stays open: perdure chat ${agent} --resume ${id}, perdure close ${id}`);
    }
  } finally {
    leaving.abort();
    readline.close();
    end();
    await watching;
  }
  return signal.aborted ? EXIT.interrupted : EXIT.ok;
}
