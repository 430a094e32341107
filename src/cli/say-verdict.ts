import type { VerdictReceipt } from '../client/decide.ts';
import type { Print } from './print.ts';
import { people } from './words.ts';

/** Says how a verdict went. */
export function sayVerdict(
  print: Print,
  decision: 'approve' | 'deny',
  receipt: VerdictReceipt,
): void {
  print.data(receipt);
  print.text(verdictWords(decision, receipt));
}

export function verdictWords(decision: 'approve' | 'deny', receipt: VerdictReceipt): string {
  const word = decision === 'approve' ? 'approved' : 'denied';
  if (receipt.via === 'signal') {
    return `${word}: no worker answers; it is kept, and applied when one is back`;
  }
  const { key, stillNeeded } = receipt;
  const more = stillNeeded === undefined ? '' : `: ${people(stillNeeded)} more must approve`;
  return `${word} ${key}${more}`;
}
