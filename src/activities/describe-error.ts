import { cutText } from '../core/cut-text.ts';

const MAX_TYPE = 100;
const MAX_CAUSES = 3;
const MAX_NON_ERROR = 1_000;

/** A line of a stack trace, which some libraries put into their messages. */
const STACK_LINE = /^\s+at .+(?:\n|$)/gm;

/** Type and message of anything thrown, with those of its causes; never a stack. */
export function describeError(thrown: unknown): string {
  try {
    return describe(thrown, MAX_CAUSES);
  } catch {
    // An object whose properties throw when they are read.
    return 'an error that cannot be read';
  }
}

/** An error's own message without lines of a stack. */
export function messageOf(error: Error): string {
  return withoutStack(String(error.message));
}

function describe(thrown: unknown, causesLeft: number): string {
  if (!isErrorLike(thrown)) return `not an error but ${shortForm(thrown)}`;
  const type = String(thrown.name || 'Error').slice(0, MAX_TYPE);
  const message = messageOf(thrown);
  const words = message === '' ? type : `${type}: ${message}`;
  const cause = causeOf(thrown);
  if (cause === undefined || causesLeft === 0) return words;
  return `${words} (caused by ${describe(cause, causesLeft - 1)})`;
}

function isErrorLike(thrown: unknown): thrown is Error {
  // Errors of other realms and of duplicated packages are no instances of this `Error`.
  return (
    thrown instanceof Error ||
    (typeof thrown === 'object' &&
      thrown !== null &&
      'message' in thrown &&
      typeof thrown.message === 'string')
  );
}

function causeOf(error: Error): unknown {
  if (error.cause !== undefined && error.cause !== null) return error.cause;
  return error instanceof AggregateError ? error.errors[0] : undefined;
}

function shortForm(thrown: unknown): string {
  if (typeof thrown === 'string') {
    return `the text ${JSON.stringify(cutText(withoutStack(thrown), MAX_NON_ERROR))}`;
  }
  if (typeof thrown === 'object' && thrown !== null) {
    const json = JSON.stringify(thrown, (key, value: unknown) =>
      key === 'stack' ? undefined : value,
    );
    return `the value ${cutText(json ?? typeof thrown, MAX_NON_ERROR)}`;
  }
  return `the value ${cutText(String(thrown), MAX_NON_ERROR)}`;
}

function withoutStack(text: string): string {
  return text.replace(STACK_LINE, '').trimEnd();
}
