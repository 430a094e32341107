import { messageOf } from '../core/describe-error.ts';

/** Whether an error says that the connection broke, as Node and its fetch say it. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError && /terminated|fetch failed|network/i.test(error.message)) {
    return true;
  }
  const code = codeOf(error) ?? codeOf(error.cause);
  return code !== undefined && /^(E[A-Z]+|UND_ERR_.*)$/.test(code);
}

/** An error's message with the messages of what caused it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  const inner = error.cause instanceof Error ? reasonOf(error.cause) : undefined;
  return inner === undefined ? error.message : `${error.message} (${inner})`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
