import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The messages of hand-written loops, a file of lines for each conversation. The least that such a loop
 * can do: it does not wait for the disk, and nothing guards it against an attempt that runs twice.
 */
export class MessageFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(conversationId: string): Promise<unknown[]> {
    const lines = await readFile(this.#path(conversationId), 'utf8').catch(() => '');
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  }

  async append(conversationId: string, message: unknown): Promise<void> {
    await appendFile(this.#path(conversationId), `${JSON.stringify(message)}\n`);
  }

  #path(conversationId: string): string {
    return join(this.#directory, `${encodeURIComponent(conversationId)}.jsonl`);
  }
}
