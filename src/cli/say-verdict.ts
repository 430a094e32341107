import type { VerdictReceipt } from '../client/decide.ts';
import type { Print } from './print.ts';

/** Says how a verdict went. */
export function sayVerdict(
  print: Print,
  decision: 'approve' | 'deny',
  receipt: VerdictReceipt,
): void {
  print.data(receipt);
  const word = decision === 'approve' ? 'approved' : 'denied';
  if (receipt.via === 'update') print.text(`${word} ${receipt.key}`);
  else print.text(`${word}: no worker answers; it is kept, and applied when one is back`);
}
