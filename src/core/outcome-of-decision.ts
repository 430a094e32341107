import type { Decision } from './approval.ts';
import type { Outcome } from './outcome.ts';

/**
 * The result of a call that a person (or a deadline, or a stop) kept from running.
 * @param reasonCharacters how much of a person's reason fits; default all
 */
export function outcomeOfDecision(
  decision: Decision,
  reasonCharacters: number = Number.POSITIVE_INFINITY,
): Outcome | undefined {
  switch (decision.decision) {
    case 'approve':
      return undefined;
    case 'deny':
      return { outcome: 'denied', effect: 'none', message: denial(decision, reasonCharacters) };
    case 'expire':
      return { outcome: 'approval_expired', effect: 'none', message: '' };
    case 'cancel': {
      const why = decision.reason === undefined ? '' : `: ${decision.reason}`;
      return {
        outcome: 'cancelled',
        effect: 'none',
        message: `It was still waiting for approval${why}.`,
      };
    }
  }
}

function denial({ by, reason }: Decision, characters: number): string {
  const who = by === undefined ? 'The user' : 'A person';
  if (reason === undefined || reason.trim() === '') return `${who} denied it without a reason.`;
  const said = reason.length <= characters ? reason : `${reason.slice(0, characters - 1)}…`;
  return by === undefined ? said : `${who} denied it and said: ${said}`;
}
