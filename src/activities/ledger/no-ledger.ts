import type { AttemptLedger } from './attempt-ledger.ts';

/** An `AttemptLedger` together with the name under which its process is known to sweepers. */
export interface OpenAttemptLedger extends AttemptLedger {
  /** `undefined` where no ledger is kept. */
  readonly id: string | undefined;
}

/**
 * Keeps nothing: on Windows, and wherever a ledger cannot be kept. A lost attempt is then found by
 * its heartbeat timeout.
 */
export function createNoLedger(): OpenAttemptLedger {
  return {
    id: undefined,
    begin: () => ({
      addProcessGroup: () => {},
      removeProcessGroup: () => {},
      returned: () => {},
      end: () => {},
    }),
    close: () => Promise.resolve(),
  };
}
