import { EXIT } from './exit-codes.ts';

export interface Interruption {
  /** Aborts on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** As Ctrl-C does where a prompt takes the key. */
  interrupt(): void;
  /** Listens no more: Ctrl-C ends the process again. */
  end(): void;
}

/**
 * Listens for Ctrl-C, so that a command can leave in order. The exit code says that it was
 * interrupted; a second Ctrl-C ends the process at once.
 */
export function interruption(): Interruption {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    process.exitCode = EXIT.interrupted;
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    interrupt,
    end: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}
