import type { Contest, Contestant } from './contestants.ts';
import { reachedSteps } from './loops.activities.ts';
import { RESULT_BYTES, type Growth } from './growth.ts';
import { conversationSize } from './conversation-size.ts';

/** How a hand-written loop grows, up to the pair at which the server ends it. */
export interface Wall {
  readonly name: string;
  readonly grown: readonly Growth[];
  /** The server's words, or ours when it came to its end. */
  readonly end: string;
}

/** Runs a loop at some lengths, and then until it dies or has made so many pairs. */
export async function findWall(
  { temporal }: Pick<Contest, 'temporal'>,
  { name, run }: Contestant,
  lengths: readonly number[],
  most: number,
): Promise<Wall> {
  const grown: Growth[] = [];
  for (const pairs of lengths) {
    const id = `wall-${name}-${pairs}`;
    await run(pairs, RESULT_BYTES, id);
    grown.push({ pairs, ...(await conversationSize(temporal, id)) });
  }
  const id = `wall-${name}`;
  let end = 'came to its end';
  try {
    await run(most, RESULT_BYTES, id);
  } catch (error) {
    const { cause } = error as Error;
    end = `ended by the server: ${cause instanceof Error ? cause.message : String(error)}`;
  }
  grown.push({ pairs: reachedSteps(id), ...(await conversationSize(temporal, id)) });
  return { name, grown, end };
}
