import { parse } from '../core/parse.ts';
import type { Refusal } from '../core/refusal.ts';
import {
  type Revocation,
  type RevokeAnswer,
  revokeRule,
  revokeSchema,
} from '../core/revoke-rule.ts';
import type { Memory } from './memory.ts';
import { undecodableRefusal } from './payload-converter.ts';
import type { Received } from './receive-message.ts';

/** Takes back a remembered rule: who did, and when, is in the audit. */
export function receiveRevocation(
  memory: Memory,
  value: unknown,
  at: string,
): Received<RevokeAnswer> {
  const read = readRevocation(value);
  if ('refusal' in read) return read;
  const { by, reason } = read.revocation;
  const revoked = revokeRule(memory.state.rules, read.revocation, at);
  if ('refusal' in revoked) return revoked;
  const { rule, tool } = revoked.answer;
  memory.update({ rules: revoked.rules });
  const why = reason === undefined ? '' : `: ${reason}`;
  memory.note('rule_revoked', `${by.id} took back that ${tool} runs without asking${why}`, at, {
    details: { rule, tool, by: by.id },
  });
  memory.refresh();
  return { answer: revoked.answer };
}

/** What update `revoke` refuses without an event. */
export function judgeRevocation(memory: Memory, value: unknown, at: string): Refusal | undefined {
  const read = readRevocation(value);
  if ('refusal' in read) return read.refusal;
  const revoked = revokeRule(memory.state.rules, read.revocation, at);
  return 'refusal' in revoked ? revoked.refusal : undefined;
}

function readRevocation(
  value: unknown,
): { readonly revocation: Revocation } | { readonly refusal: Refusal } {
  const undecodable = undecodableRefusal(value);
  if (undecodable !== undefined) return { refusal: undecodable };
  const parsed = parse(revokeSchema, value);
  if ('value' in parsed) return { revocation: parsed.value };
  return {
    refusal: {
      code: 'invalid_verdict',
      message: `this revokes nothing: ${parsed.problems.join('; ')}`,
      problems: [...parsed.problems],
    },
  };
}
