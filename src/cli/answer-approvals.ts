import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingApprovalInfo } from '../client/list-approvals.ts';
import type { PerdureClient } from '../client/perdure-client.ts';
import { whoIsHere } from './by.ts';
import { CliError } from './cli-error.ts';
import { sendAnswer } from './send-answer.ts';
import { promptForVerdict } from './verdict-prompt.ts';

/** The index of waiting conversations is asked this often. */
const LOOK_EVERY_MS = 1_000;

/** Stays, shows each call that comes to wait, and sends what is answered, until Ctrl-C. */
export async function answerApprovals(
  client: PerdureClient,
  find: () => Promise<readonly PendingApprovalInfo[]>,
  { by }: { readonly by?: string },
): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new CliError('--watch answers at a prompt, and this is no terminal: use perdure approve');
  }
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  const leaving = new AbortController();
  readline.on('close', () => leaving.abort());
  readline.on('SIGINT', () => readline.close());
  const seen = new Set<string>();
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  say('waiting for calls that need an approval (Ctrl-C leaves)');
  try {
    while (!leaving.signal.aborted) {
      const waiting = await find();
      const fresh = waiting.filter(({ request }) => !seen.has(request.key));
      for (const info of fresh) {
        const answer = await promptForVerdict(readline, info, { signal: leaving.signal, say });
        seen.add(info.request.key);
        const conversation = client.handle(info.conversationId);
        await sendAnswer(conversation, info.request, answer, { by: whoIsHere(by), say });
      }
      if (fresh.length === 0) await sleep(LOOK_EVERY_MS, undefined, { signal: leaving.signal });
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  } finally {
    readline.close();
  }
}
