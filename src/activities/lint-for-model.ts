import type { ModelRequest } from '../core/model-request.ts';
import { type LintResult, lintRequest } from '../core/request-linter/lint-request.ts';
import type { Model } from '../models/model.ts';

/** The linter's verdict about a request to this model. */
export function lintForModel(model: Model, request: ModelRequest): LintResult {
  return lintRequest(request, { format: model.format, takes: model.capabilities });
}
