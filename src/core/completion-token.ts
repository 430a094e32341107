import type { Effect } from './effect.ts';

/** What is needed to complete a call from outside (`completion: 'later'`). Whoever has it can do so. */
export interface CompletionTicket {
  /** Temporal's own token of the attempt, base64. */
  readonly taskToken: string;
  readonly conversationId: string;
  readonly key: string;
  readonly callId: string;
  readonly tool: string;
  readonly effect: Effect;
  readonly maxResultChars: number;
  /** Whether a person changed the arguments. */
  readonly edited: boolean;
  /** What earlier attempts may have done; absent: nothing. */
  readonly earlier?: 'happened' | 'unknown';
}

const PREFIX = 'perdure-call:';

/** The ticket as one opaque text without spaces, fit for a URL or a message queue. */
export function encodeCompletionToken(ticket: CompletionTicket): string {
  return `${PREFIX}${encodeURIComponent(JSON.stringify(ticket))}`;
}

/** @throws {Error} on a text that is no completion token. */
export function decodeCompletionToken(token: string): CompletionTicket {
  try {
    if (!token.startsWith(PREFIX)) throw new Error(`it does not begin with ${PREFIX}`);
    const value = JSON.parse(decodeURIComponent(token.slice(PREFIX.length))) as CompletionTicket;
    if (typeof value.taskToken !== 'string' || typeof value.key !== 'string') {
      throw new Error('it is not complete');
    }
    return value;
  } catch (error) {
    throw new Error(
      `expected the completion token that a tool got as ctx.completionToken: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
