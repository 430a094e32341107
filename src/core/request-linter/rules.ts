import { binaryParts } from './binary-parts.ts';
import { callIds } from './call-ids.ts';
import { callInputs, callNames } from './calls.ts';
import { emptyText } from './empty-text.ts';
import { errorResults } from './error-results.ts';
import { foreignTurns } from './foreign-turns.ts';
import { imageLimits } from './image-limits.ts';
import { pairResults } from './pair-results.ts';
import { reasoning } from './reasoning.ts';
import type { MessageRule } from './rule.ts';
import { turnOrder } from './turn-order.ts';
import { unfitText } from './unfit-text.ts';
import { untakenParts } from './untaken-parts.ts';

interface NamedRule {
  readonly name: string;
  readonly mend: MessageRule;
  /** What it looks at: each message by itself, or how they stand together. */
  readonly about: 'each' | 'all';
}

/** In this order: later rules rely on what earlier ones mended. */
export const RULES: readonly NamedRule[] = [
  { name: 'foreign-turns', mend: foreignTurns, about: 'each' },
  { name: 'unfit-text', mend: unfitText, about: 'each' },
  { name: 'call-names', mend: callNames, about: 'each' },
  { name: 'call-inputs', mend: callInputs, about: 'each' },
  { name: 'untaken-parts', mend: untakenParts, about: 'each' },
  { name: 'binary-parts', mend: binaryParts, about: 'each' },
  { name: 'image-limits', mend: imageLimits, about: 'all' },
  { name: 'pair-results', mend: pairResults, about: 'all' },
  { name: 'call-ids', mend: callIds, about: 'all' },
  { name: 'error-results', mend: errorResults, about: 'each' },
  { name: 'reasoning', mend: reasoning, about: 'each' },
  { name: 'empty-text', mend: emptyText, about: 'each' },
  { name: 'turn-order', mend: turnOrder, about: 'all' },
];
