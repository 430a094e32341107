import { createInterface } from 'node:readline/promises';

/** Asks on a terminal; a script, which cannot answer, has meant it. */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await readline.question(`${question} [y]es, [n]o: `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    readline.close();
  }
}
