import { CommanderError } from 'commander';
import { inspect } from 'node:util';
import { ConversationExists } from '../client/errors/conversation-exists.ts';
import { ConversationNotFound } from '../client/errors/conversation-not-found.ts';
import { PerdureRefusal } from '../client/errors/perdure-refusal.ts';
import { messageOf } from '../core/describe-error.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { paint } from './paint.ts';

/** Of parts that are loaded only when they are needed: a port, a folder or an agents file that is not usable. */
const USAGE_ERRORS = new Set([
  'PortInUse',
  'DataDirectoryInUse',
  'ConfigError',
  'DefinitionError',
  'WorkerEnded',
]);
/** Refusals of what was typed, before anything was sent. */
const INPUT_CODES = new Set(['invalid_input', 'invalid_message', 'invalid_verdict', 'too_large']);

/**
 * Says on stderr why a command failed, in one line, and returns its exit code. With `debug` the
 * stack and the causes follow; with `json` the line is JSON.
 */
export function reportError(
  error: unknown,
  { debug, json }: { readonly debug: boolean; readonly json: boolean },
): number {
  // Commander has said what was wrong, or was asked for help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const message = oneLine(error);
  if (json) {
    const code = error instanceof PerdureRefusal ? { code: error.code } : {};
    const type = error instanceof Error ? error.name : 'Error';
    process.stderr.write(`${JSON.stringify({ error: { type, ...code, message } })}\n`);
  } else {
    process.stderr.write(`${paint(process.stderr, 'red', 'error:')} ${message}\n`);
  }
  if (debug) process.stderr.write(`${inspect(error, { depth: 6 })}\n`);
  return exitCodeOf(error);
}

export function oneLine(error: unknown): string {
  const text = messageOf(error);
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
  return line === '' ? 'failed without a message (--debug shows more)' : line;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof Error && USAGE_ERRORS.has(error.name)) return EXIT.usage;
  if (error instanceof PerdureRefusal) {
    return INPUT_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
  }
  if (error instanceof ConversationNotFound || error instanceof ConversationExists) {
    return EXIT.usage;
  }
  return EXIT.failed;
}
