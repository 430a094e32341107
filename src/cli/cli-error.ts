import { EXIT, type ExitCode } from './exit-codes.ts';

/** What a command says when it cannot do what was asked: one line with the cause and the mend. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    options: { readonly exitCode?: ExitCode; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.usage;
  }
}
