import type { ModelRequest } from '../model-request.ts';
import { isLawful } from './is-lawful.ts';
import { requestProblem, type LintProblem } from './request-problem.ts';
import { DEFAULT_LINT_LIMITS, type LintLimits, type Repair, type TakenParts } from './rule.ts';
import { RULES } from './rules.ts';
import { fit, isFit, UNFIT_REPLACED } from './unfit-text.ts';

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

/**
 * Makes a request that every model API takes, by the smallest change, and says what it changed. A
 * valid request comes back as the very same object. Idempotent, pure, and never throws: what cannot
 * be mended is a problem.
 */
export function lintRequest(request: ModelRequest, options: LintOptions = {}): LintResult {
  const limits = { ...DEFAULT_LINT_LIMITS, ...options.limits };
  const { images = true, documents = true } = options.takes ?? {};
  const settings = { format: options.format, takes: { images, documents }, limits };
  const repairs: Repair[] = [];
  let messages = request.messages;
  for (const { name: rule, mend } of isLawful(messages, settings) ? [] : RULES) {
    const report = (at: string, what: string) => repairs.push({ rule, at, what });
    messages = mend(messages, { ...settings, report });
  }
  const fitted = fitSettings(request, repairs);
  const linted = messages === fitted.messages ? fitted : { ...fitted, messages };
  const problem = requestProblem(linted, limits);
  return problem === undefined ? { request: linted, repairs } : { problem };
}

/** Characters that no API takes, in what is not a message: instructions, tools, options. */
function fitSettings(request: ModelRequest, repairs: Repair[]): ModelRequest {
  const { messages, ...settings } = request;
  if (Object.values(settings).every(isFit)) return request;
  const fitted = fit(settings) as typeof settings;
  repairs.push({ rule: 'unfit-text', at: 'system, tools and options', what: UNFIT_REPLACED });
  return { ...fitted, messages };
}
