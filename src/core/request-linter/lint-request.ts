import type { ModelRequest } from '../model-request.ts';
import { binaryParts } from './binary-parts.ts';
import { callIds } from './call-ids.ts';
import { callInputs, callNames } from './calls.ts';
import { emptyText } from './empty-text.ts';
import { errorResults } from './error-results.ts';
import { foreignTurns } from './foreign-turns.ts';
import { imageLimits } from './image-limits.ts';
import { pairResults } from './pair-results.ts';
import { reasoning } from './reasoning.ts';
import { requestProblem, type LintProblem } from './request-problem.ts';
import {
  DEFAULT_LINT_LIMITS,
  type LintLimits,
  type MessageRule,
  type Repair,
  type TakenParts,
} from './rule.ts';
import { turnOrder } from './turn-order.ts';
import { untakenParts } from './untaken-parts.ts';
import { fit, UNFIT_REPLACED, unfitText } from './unfit-text.ts';

export interface LintOptions {
  /** Format of the adapter that the request goes to: turns of another are rendered for it. */
  readonly format?: string;
  /** What the model takes besides text; absent means yes. */
  readonly takes?: Partial<TakenParts> | undefined;
  readonly limits?: Partial<LintLimits>;
}

export type LintResult =
  | { readonly request: ModelRequest; readonly repairs: readonly Repair[] }
  | { readonly problem: LintProblem };

/** In this order: later rules rely on what earlier ones mended. */
const RULES: readonly (readonly [name: string, rule: MessageRule])[] = [
  ['foreign-turns', foreignTurns],
  ['unfit-text', unfitText],
  ['call-names', callNames],
  ['call-inputs', callInputs],
  ['untaken-parts', untakenParts],
  ['binary-parts', binaryParts],
  ['image-limits', imageLimits],
  ['pair-results', pairResults],
  ['call-ids', callIds],
  ['error-results', errorResults],
  ['reasoning', reasoning],
  ['empty-text', emptyText],
  ['turn-order', turnOrder],
];

/**
 * Makes a request that every model API takes, by the smallest change, and says what it changed. A
 * valid request comes back as the very same object. Idempotent, pure, and never throws: what cannot
 * be mended is a problem.
 */
export function lintRequest(request: ModelRequest, options: LintOptions = {}): LintResult {
  const limits = { ...DEFAULT_LINT_LIMITS, ...options.limits };
  const { images = true, documents = true } = options.takes ?? {};
  const takes = { images, documents };
  const repairs: Repair[] = [];
  let messages = request.messages;
  for (const [rule, mend] of RULES) {
    const report = (at: string, what: string) => repairs.push({ rule, at, what });
    messages = mend(messages, { format: options.format, takes, limits, report });
  }
  const fitted = fitSettings(request, repairs);
  const linted = messages === fitted.messages ? fitted : { ...fitted, messages };
  const problem = requestProblem(linted, limits);
  return problem === undefined ? { request: linted, repairs } : { problem };
}

/** Characters that no API takes, in what is not a message: instructions, tools, options. */
function fitSettings(request: ModelRequest, repairs: Repair[]): ModelRequest {
  const { messages, ...settings } = request;
  const fitted = fit(settings) as typeof settings;
  if (fitted === settings) return request;
  repairs.push({ rule: 'unfit-text', at: 'system, tools and options', what: UNFIT_REPLACED });
  return { ...fitted, messages };
}
