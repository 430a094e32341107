import type { RequestMessage } from '../../../src/core/model-request.ts';
import { lintRequest, type LintOptions } from '../../../src/core/request-linter/lint-request.ts';
import { request } from './build-request.ts';

/** The messages as they are sent, and the names of the rules that changed them. */
export function linted(messages: readonly RequestMessage[], options: LintOptions = {}) {
  const answer = lintRequest(request(messages), options);
  if ('problem' in answer) throw new Error(answer.problem.message);
  return { messages: answer.request.messages, rules: answer.repairs.map(({ rule }) => rule) };
}

export const mended = (messages: readonly RequestMessage[], options: LintOptions = {}) =>
  linted(messages, options).messages;
