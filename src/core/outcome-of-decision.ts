import type { Decision } from './approval.ts';
import type { Outcome } from './outcome.ts';

/** The result of a call that a person (or a deadline, or a stop) kept from running. */
export function outcomeOfDecision(decision: Decision): Outcome | undefined {
  switch (decision.decision) {
    case 'approve':
      return undefined;
    case 'deny':
      return { outcome: 'denied', effect: 'none', message: denial(decision) };
    case 'expire':
      return { outcome: 'approval_expired', effect: 'none', message: '' };
    case 'cancel': {
      const why = decision.reason === undefined ? '' : ` Reason: ${decision.reason}`;
      return {
        outcome: 'cancelled',
        effect: 'none',
        message: `It was still waiting for approval.${why}`,
      };
    }
  }
}

function denial({ by, reason }: Decision): string {
  const who = by === undefined ? 'The user' : 'A person';
  if (reason === undefined || reason.trim() === '') return `${who} denied it without a reason.`;
  return by === undefined ? reason : `${who} denied it and said: ${reason}`;
}
