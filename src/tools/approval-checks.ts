import { durationMs } from '../core/duration.ts';
import { isJsonObject } from '../core/json.ts';
import {
  listOf,
  oneOf,
  type OptionCheck,
  optional,
  options,
  positiveCount,
  positiveDuration,
  text,
} from './option-checks.ts';

const shape = options({
  timeout: optional(positiveDuration),
  expire: optional(oneOf('deny', 'fail')),
  remindAfter: optional(positiveDuration),
  escalate: optional(listOf(options({ after: positiveDuration, askedOf: text }))),
  askedOf: optional(text),
  quorum: optional(positiveCount),
  notBy: optional(oneOf('starter')),
  onMessageWhileWaiting: optional(oneOf('queue', 'deny')),
});

/** Options of asking a person, of a tool or an agent. */
export const approvalOptions: OptionCheck = (value) => {
  const problems = shape(value);
  return problems.length > 0 || !isJsonObject(value) ? problems : tooLate(value);
};

/** A reminder or an escalation at or after the expiry would never happen. */
function tooLate(approval: { readonly [option: string]: unknown }): string[] {
  const timeout = durationMs(approval.timeout);
  if (timeout === undefined) return [];
  const problems: string[] = [];
  if ((durationMs(approval.remindAfter) ?? 0) >= timeout) {
    problems.push('.remindAfter: expected less than the timeout: it would never happen');
  }
  const escalate = Array.isArray(approval.escalate) ? approval.escalate : [];
  for (const [n, step] of escalate.entries()) {
    if ((durationMs((step as { readonly after?: unknown }).after) ?? 0) < timeout) continue;
    problems.push(`.escalate[${n}].after: expected less than the timeout: it would never happen`);
  }
  return problems;
}
