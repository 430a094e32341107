import type { IdleLimits } from '../idle-timer.ts';
import type { Model } from '../model.ts';
import { answerContract } from './answer-contract.ts';
import { conversationContract } from './conversation-contract.ts';
import { failureContract } from './failure-contract.ts';
import { streamContract } from './stream-contract.ts';
import type { ModelWire } from './wire.ts';

export interface ModelContract {
  /** The test runner's own: vitest, `node:test` and jest have both. */
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** The adapter, which must send its requests to `url` and keep to the limits. */
  readonly create: (server: { readonly url: string }, limits: IdleLimits) => Model;
  /** How the service that the adapter speaks to frames its bytes. */
  readonly wire: ModelWire;
}

/**
 * What every adapter must do, from bytes on a socket to a `Completion` or a `ModelFailure`. Call it
 * in a test file of your own.
 */
export function modelContract(contract: ModelContract): void {
  contract.describe(`model contract: ${contract.wire.name}`, () => {
    answerContract(contract);
    conversationContract(contract);
    streamContract(contract);
    failureContract(contract);
  });
}
