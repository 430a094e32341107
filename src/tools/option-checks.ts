import { inspect } from 'node:util';
import { durationMs } from '../core/duration.ts';
import { isJsonObject } from '../core/json.ts';
import { hasLoneSurrogate, jsonProblems } from './json-problems.ts';
import { nearestName } from './nearest-name.ts';

/** Problems of one option's value; those of what is inside it begin with its path, `.timeout: …`. */
export type OptionCheck = (value: unknown) => readonly string[];

/** What a definition may say: a check for each option, in the order in which they are documented. */
export interface OptionTable {
  readonly [option: string]: OptionCheck;
}

/** Timers of Node hold 2^31 − 1 ms; what is longer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Everything that is wrong with the options of a definition, each as `option: what, and the mend`.
 * @param otherWords what other libraries call our options
 */
export function optionProblems(
  table: OptionTable,
  definition: { readonly [option: string]: unknown },
  otherWords: { readonly [word: string]: string } = {},
): string[] {
  const problems = Object.entries(table).flatMap(([option, check]) =>
    check(definition[option]).map((problem) => option + joined(problem)),
  );
  for (const option of Object.keys(definition)) {
    if (Object.hasOwn(table, option)) continue;
    const meant = otherWords[option] ?? nearestName(option, Object.keys(table));
    const known = Object.keys(table).join(', ');
    problems.push(
      `${option}: there is no such option; ${meant === undefined ? `known are ${known}` : `did you mean "${meant}"?`}`,
    );
  }
  return problems;
}

export function optional(check: OptionCheck): OptionCheck {
  return (value) => (value === undefined ? [] : check(value));
}

/** A check by a rule and the words for what it expects. */
export function expects(expected: string, holds: (value: unknown) => boolean): OptionCheck {
  return (value) => (holds(value) ? [] : [`expected ${expected}, got ${shown(value)}`]);
}

export const flag = expects('true or false', (value) => typeof value === 'boolean');

export const code = expects('a function', (value) => typeof value === 'function');

export const text = expects('text that is not empty', (value) => isText(value));

export const positiveCount = expects('a whole number of at least 1', (value) => {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
});

export const positiveNumber = expects('a number above 0', (value) => {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
});

/** For what a timer of the process holds. */
export const shortDuration = expects(
  'a positive duration of at most 24 days, in milliseconds or as "30s"',
  (value) => isPositive(durationMs(value)) && (durationMs(value) ?? Infinity) <= LONGEST_MS,
);

export const positiveDuration = expects(
  'a positive duration, in milliseconds or as "30 days"',
  (value) => isPositive(durationMs(value)),
);

export const jsonObject: OptionCheck = (value) =>
  isJsonObject(value) ? jsonProblems(value) : [`expected a JSON object, got ${shown(value)}`];

export function oneOf(...words: readonly string[]): OptionCheck {
  return expects(words.map((word) => JSON.stringify(word)).join(' or '), (value) =>
    words.some((word) => word === value),
  );
}

/** An object with options of its own. */
export function options(table: OptionTable): OptionCheck {
  return (value) =>
    isJsonObject(value)
      ? optionProblems(table, value).map((problem) => `.${problem}`)
      : [`expected an object, got ${shown(value)}`];
}

export function listOf(check: OptionCheck): OptionCheck {
  return (value) =>
    Array.isArray(value)
      ? value.flatMap((item, n) => check(item).map((problem) => `[${n}]${joined(problem)}`))
      : [`expected a list, got ${shown(value)}`];
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !hasLoneSurrogate(value);
}

/** A value as a message shows it: one short line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  const line = inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 60 });
  return line.length <= 100 ? line : `${line.slice(0, 100)}…`;
}

/** What stands inside an option goes on its path; a JSON pointer and words stand beside it. */
function joined(problem: string): string {
  if (/^[.[]/.test(problem)) return problem;
  return /^[/(]/.test(problem) ? ` ${problem}` : `: ${problem}`;
}

function isPositive(ms: number | undefined): boolean {
  return ms !== undefined && ms > 0;
}
