import * as z from 'zod/mini';
import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';
import type { RememberedRule } from './remember-rules.ts';
import { type Who, whoSchema } from './who.ts';

const schema = z.strictObject({
  /** The rule's `id`, as query `status` lists it. */
  rule: z.string().check(z.minLength(1), z.maxLength(1000)),
  by: whoSchema(),
  reason: z.optional(z.string().check(z.maxLength(1000))),
});
/** Signal and update `revoke`: takes back what an approval asked to be remembered. */
export const revokeSchema = () => schema;
export type Revocation = z.infer<typeof schema>;

/** What update `revoke` answers: the tool is asked about again from the next completion on. */
export interface RevokeAnswer {
  readonly rule: string;
  readonly tool: string;
  readonly by: Who;
  /** ISO 8601. */
  readonly at: string;
}

/** Takes a rule away. Calls that it has let run already are not touched. */
export function revokeRule(
  rules: readonly RememberedRule[],
  { rule: id, by }: Revocation,
  at: string,
):
  | { readonly rules: readonly RememberedRule[]; readonly answer: RevokeAnswer }
  | { readonly refusal: Refusal } {
  const revoked = rules.find((rule) => rule.id === id);
  if (revoked === undefined) {
    const known: Json = rules.map((rule) => rule.id);
    const message = `nothing is remembered under "${id}": see the rules in query status`;
    return { refusal: { code: 'unknown_rule', message, rules: known } };
  }
  return {
    rules: rules.filter((rule) => rule !== revoked),
    answer: { rule: id, tool: revoked.tool, by, at },
  };
}
