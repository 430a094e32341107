import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BookCopy, type RetailBook, RetailError } from './retail-book.ts';
import { READS, type RetailArguments, WRITES } from './retail-desk.ts';

export interface RetailCall {
  /** Each conversation has a book of its own. */
  readonly conversation: string;
  readonly tool: string;
  readonly given: RetailArguments;
  readonly key: string;
}

export type RetailAnswer = { readonly output: unknown } | { readonly error: string };

/** The shop's own service, outside of the workers: executes what it is told, and counts it. */
export interface RetailStore {
  readonly url: string;
  changed(conversation: string): Record<string, unknown>;
  /** How often each write was executed, by its key. */
  writes(conversation: string): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startRetailStore(book: RetailBook): Promise<RetailStore> {
  const copies = new Map<string, BookCopy>();
  const done = new Map<string, Map<string, { times: number; output: unknown }>>();
  const copyOf = (conversation: string): BookCopy => {
    const copy = copies.get(conversation) ?? new BookCopy(book);
    copies.set(conversation, copy);
    return copy;
  };
  const doneBy = (conversation: string) => {
    const calls = done.get(conversation) ?? new Map<string, { times: number; output: unknown }>();
    done.set(conversation, calls);
    return calls;
  };
  const execute = ({ conversation, tool, given, key }: RetailCall): RetailAnswer => {
    try {
      const write = WRITES[tool];
      const output = (write ?? READS[tool])?.(copyOf(conversation), given);
      if (write !== undefined) {
        const times = (doneBy(conversation).get(key)?.times ?? 0) + 1;
        doneBy(conversation).set(key, { times, output: structuredClone(output) });
      }
      return { output };
    } catch (error) {
      if (error instanceof RetailError) return { error: error.message };
      throw error;
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as RetailCall;
      const answer =
        request.url === '/execute' ? execute(call) : doneBy(call.conversation).get(call.key);
      response.end(JSON.stringify(answer ?? null));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    changed: (conversation) => copyOf(conversation).changed(),
    writes: (conversation) =>
      new Map([...doneBy(conversation)].map(([key, { times }]) => [key, times])),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
