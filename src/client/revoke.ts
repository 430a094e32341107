import { randomUUID } from 'node:crypto';
import { SIGNALS, UPDATES } from '../core/names.ts';
import { type RevokeAnswer, revokeSchema } from '../core/revoke-rule.ts';
import type { Who } from '../core/who.ts';
import type { ClientContext } from './client-context.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { plainJson } from './plain-json.ts';
import { checked } from './problems-of.ts';
import { updateOrSignal } from './update-or-signal.ts';

export interface RevokeOptions {
  readonly by: Who;
  /** Kept in the audit; at most 1,000 characters. */
  readonly reason?: string | undefined;
}

/**
 * How it went. `update`: the rule is gone. `signal`: no worker answered; the server keeps it, and it
 * is applied when a worker is back.
 */
export type RevokeReceipt =
  ({ readonly via: 'update' } & RevokeAnswer) | { readonly via: 'signal'; readonly rule: string };

/**
 * Takes back what an approval asked to be remembered.
 * @throws {PerdureRefusal} `unknown_rule`, `invalid_verdict`
 */
export async function revoke(
  context: ClientContext,
  conversationId: string,
  rule: string,
  options: RevokeOptions,
): Promise<RevokeReceipt> {
  const revocation = checked(revokeSchema, { ...options, rule });
  if ('problems' in revocation) {
    throw new PerdureRefusal({
      code: 'invalid_verdict',
      message: `the revocation cannot be sent: ${revocation.problems.join('; ')}`,
      problems: revocation.problems,
    });
  }
  const payload = plainJson(revocation.value);
  const result = await updateOrSignal<RevokeAnswer>(context, conversationId, {
    update: { name: UPDATES.revoke, payload },
    signal: { name: SIGNALS.revoke, payload },
    id: randomUUID(),
  });
  return result.via === 'update' ? { via: 'update', ...result.answer } : { via: 'signal', rule };
}
