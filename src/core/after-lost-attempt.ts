import type { Effect } from './effect.ts';

/** A call whose attempts were lost this often is given up: it may be what kills the workers. */
export const MAX_LOST_ATTEMPTS = 3;

/** How an attempt was lost. Proved ended: its process died, or its handler returned on shutdown. */
export interface LostAttempt {
  readonly effect: Effect;
  readonly provedEnded: boolean;
  /** Whether the tool can tell from the outside what happened. */
  readonly reconciles: boolean;
  /** Lost attempts of this call, this one included. */
  readonly lost: number;
}

export type AfterLostAttempt = 'again' | 'reconcile' | 'outcome_unknown' | 'tool_failed';

/** What follows a lost attempt: the table of design §4. */
export function afterLostAttempt({ effect, reconciles, lost }: LostAttempt): AfterLostAttempt {
  const givenUp = lost >= MAX_LOST_ATTEMPTS;
  switch (effect) {
    case 'read':
      return givenUp ? 'tool_failed' : 'again';
    case 'idempotent':
      return givenUp ? 'outcome_unknown' : 'again';
    case 'once':
      return reconciles ? 'reconcile' : 'outcome_unknown';
  }
}

/** `not_done` is believed only of an attempt that can no longer act, and not for ever. */
export function mayRepeatOnce({ provedEnded, lost }: LostAttempt): boolean {
  return provedEnded && lost < MAX_LOST_ATTEMPTS;
}
