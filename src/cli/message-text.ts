import { text } from 'node:stream/consumers';
import { CliError } from './cli-error.ts';

/**
 * A message from the command line, or from standard input where it is not a terminal.
 * @throws {CliError} when there is none, or only white space.
 */
export async function messageText(message: string | undefined): Promise<string> {
  if (message === undefined && process.stdin.isTTY) {
    throw new CliError('a message is missing: give it as an argument, or pipe it in');
  }
  const said = message ?? (await text(process.stdin)).trimEnd();
  if (said.trim() === '') {
    throw new CliError('the message is empty: say something in it');
  }
  return said;
}
