import type { EffectState } from './effect.ts';

/** The one result of a call: `ok`, or an error category (design §5). None ends the run. */
export const CATEGORIES = [
  'ok',
  'unknown_tool',
  'unavailable',
  'invalid_input',
  'denied',
  'approval_expired',
  'approval_failed',
  'timeout',
  'tool_error',
  'tool_failed',
  'invalid_output',
  'state_conflict',
  'cancelled',
  'outcome_unknown',
  'truncated',
] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Outcome {
  readonly outcome: Category;
  readonly effect: EffectState;
  /** What happened, for model, audit and people; no stack, no secret. Empty for `ok`. */
  readonly message: string;
}

/** What a category means, in the words that the model reads. */
const MEANING: Record<Exclude<Category, 'ok'>, string> = {
  unknown_tool: 'There is no such tool.',
  unavailable: 'This conversation may not use the tool.',
  invalid_input: 'The arguments do not fit the tool; it did not run. Correct them and call again.',
  denied: 'The call was denied; it did not run.',
  approval_expired: 'Nobody decided about the call in time; it did not run.',
  approval_failed: 'It could not be decided whether the call may run; it did not run.',
  timeout: 'The call took too long.',
  tool_error: 'The tool reported an error.',
  tool_failed: 'The tool failed unexpectedly.',
  invalid_output: 'The tool returned something that cannot be passed on.',
  state_conflict: 'The change of the shared state did not apply; the state is unchanged.',
  cancelled: 'The call was cancelled.',
  outcome_unknown: 'The attempt was lost before the tool reported.',
  truncated: 'The completion was cut off before the call was complete; nothing ran. Call again.',
};

/** Categories of calls that never began: to say that nothing happened would repeat their meaning. */
const NEVER_BEGAN: ReadonlySet<Category> = new Set([
  'unknown_tool',
  'unavailable',
  'invalid_input',
  'denied',
  'approval_expired',
  'approval_failed',
  'truncated',
]);

const EFFECT_WORDS: Record<EffectState, string> = {
  none: 'It had no effect.',
  happened: 'Its effect happened all the same; do not repeat it.',
  unknown: 'It is not known whether its effect happened; check before you repeat it.',
};

/** The fixed text form of an error result: category, meaning, detail, effect. */
export function outcomeText({ outcome, effect, message }: Outcome): string {
  if (outcome === 'ok') return message;
  const words = [`[${outcome}] ${MEANING[outcome]}`];
  if (message !== '') words.push(message);
  if (!NEVER_BEGAN.has(outcome) || effect !== 'none') words.push(EFFECT_WORDS[effect]);
  return words.join('\n');
}

/** The line that ends a result whose arguments a person changed. */
export const EDITED_LINE = '[A person changed the arguments of this call before it ran.]';
