import { cutText } from './cut-text.ts';

const MAX_TYPE = 100;
const MAX_CAUSES = 3;
const MAX_NON_ERROR = 1_000;

/** A line of a stack trace, which some libraries put into their messages. */
const STACK_LINE = /^[ \t]+at .+(?:\n|$)/gm;

/** Of an object whose properties throw when they are read. */
const UNREADABLE = 'an error that cannot be read';

/** Type and message of anything thrown, with those of its causes; never a stack. Throws nothing. */
export function describeError(thrown: unknown): string {
  try {
    return describe(thrown, MAX_CAUSES);
  } catch {
    return UNREADABLE;
  }
}

/** The message alone of anything thrown, without lines of a stack. Throws nothing. */
export function messageOf(thrown: unknown): string {
  try {
    if (isErrorLike(thrown)) return withoutStack(String(thrown.message));
    return typeof thrown === 'string' ? thrown : shortForm(thrown);
  } catch {
    return UNREADABLE;
  }
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
