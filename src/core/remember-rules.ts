import type { ApprovalRequest } from './approval-request.ts';
import type { Json } from './json.ts';
import { utf8Bytes } from './slices.ts';
import { isBlobReference } from './stored.ts';
import { valueAt } from './value-at.ts';
import type { Remember } from './verdict.ts';
import type { Who } from './who.ts';

/** A person's standing answer: this tool (with these arguments) may run for the rest of the conversation. */
export interface RememberedRule {
  readonly id: string;
  readonly tool: string;
  readonly match:
    | { readonly kind: 'tool' }
    | { readonly kind: 'exact'; readonly digest: string }
    | { readonly kind: 'pointers'; readonly values: { readonly [pointer: string]: Json } };
  readonly by: Who;
  /** ISO 8601. */
  readonly at: string;
}

/** Rules are sent with every completion: more would make its input grow. */
export const MAX_RULES = 50;
/** Of the values at the JSON pointers of one rule, for the same reason. */
export const MAX_RULE_BYTES = 4 * 1024;

/** The rule that an approval asks to remember, or why there can be none. */
export function ruleOf(
  remember: Remember,
  request: Pick<ApprovalRequest, 'tool' | 'input' | 'digest'>,
  rule: { readonly id: string; readonly by: Who; readonly at: string },
): RememberedRule | { readonly problem: string } {
  if (request.tool === undefined) return { problem: 'only a call can be remembered' };
  const base = { ...rule, tool: request.tool };
  const match = remember === 'conversation' ? 'tool' : remember.match;
  if (match === 'tool') return { ...base, match: { kind: 'tool' } };
  if (match === 'exact') return { ...base, match: { kind: 'exact', digest: request.digest } };
  if (isBlobReference(request.input)) {
    return { problem: 'the arguments are too large to remember a part of: use match "exact"' };
  }
  const values: Record<string, Json> = {};
  for (const pointer of match) {
    const value = valueAt(request.input, pointer);
    if (value === undefined) return { problem: `the arguments have nothing at "${pointer}"` };
    values[pointer] = value;
  }
  if (Object.keys(values).length === 0) return { problem: 'match lists no JSON pointer' };
  const bytes = utf8Bytes(JSON.stringify(values));
  if (bytes > MAX_RULE_BYTES) {
    const problem = `the values at these pointers have ${bytes} bytes, and may have ${MAX_RULE_BYTES}: use match "exact"`;
    return { problem };
  }
  return { ...base, match: { kind: 'pointers', values } };
}

/** Keeps a rule; one that says the same is kept as it is, and of too many the oldest goes. */
export function withRule(
  rules: readonly RememberedRule[],
  rule: RememberedRule,
): readonly RememberedRule[] {
  const says = ({ tool, match }: RememberedRule) => JSON.stringify([tool, match]);
  return rules.some((known) => says(known) === says(rule))
    ? rules
    : [...rules, rule].slice(-MAX_RULES);
}
