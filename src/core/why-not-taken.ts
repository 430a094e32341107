import type { PendingApproval } from './approval.ts';
import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';
import type { Verdict } from './verdict.ts';
import type { Who } from './who.ts';

interface Known {
  readonly starter: Who | undefined;
  /** Of this verdict's new arguments, once they were validated. */
  readonly validatedDigest: string | undefined;
}

/** Why a verdict about a request that waits does not count; undefined when it does. */
export function whyNotTaken(
  verdict: Verdict,
  pending: PendingApproval,
  known: Known,
): Refusal | undefined {
  const { request } = pending;
  if (verdict.digest !== undefined && verdict.digest !== request.digest) {
    return refusal(
      'digest_mismatch',
      `the arguments of ${request.key} are not those that the verdict was given for: read the request again`,
      { key: request.key, expected: verdict.digest, actual: request.digest },
    );
  }
  if (verdict.decision === 'deny') {
    if (verdict.input === undefined && verdict.remember === undefined) return undefined;
    return refusal('invalid_verdict', 'a denial takes neither input nor remember');
  }
  return notFitting(verdict, pending) ?? notAllowed(verdict, pending, known);
}

/** What an approval of this request cannot say. */
function notFitting(verdict: Verdict, { request, settings, edited }: PendingApproval) {
  if (request.kind === 'budget' && verdict.input !== undefined) {
    return refusal('invalid_verdict', 'a budget is approved or denied: it takes no input');
  }
  if (request.kind === 'budget' && verdict.remember !== undefined) {
    return refusal('invalid_verdict', 'nothing can be remembered: only a call can be remembered');
  }
  if (settings.quorum > 1 && verdict.remember !== undefined) {
    return refusal(
      'not_allowed',
      `${settings.quorum} people must approve each of these calls: one cannot answer for later ones`,
      { key: request.key },
    );
  }
  if (edited !== undefined && verdict.input === undefined && verdict.digest === undefined) {
    return refusal(
      'digest_mismatch',
      `"${edited.by.id}" changed the arguments of ${request.key}: read the request, and send its digest`,
      { key: request.key, actual: request.digest },
    );
  }
  return undefined;
}

function notAllowed(
  { by, input }: Verdict,
  { request, settings }: PendingApproval,
  { starter, validatedDigest }: Known,
): Refusal | undefined {
  const { key } = request;
  if (settings.notBy === 'starter') {
    if (starter === undefined) {
      return refusal(
        'not_allowed',
        'somebody else than who started the conversation must approve, and its start did not say who did: deny it, and start again with "by"',
        { key },
      );
    }
    if (starter.id === by.id) {
      return refusal(
        'not_allowed',
        `"${by.id}" started the conversation: another person must approve`,
        { key },
      );
    }
  }
  // New arguments are a new question; whether they are new is known once they were validated.
  const asksAnew =
    input !== undefined && (validatedDigest === undefined || validatedDigest !== request.digest);
  if (!asksAnew && request.verdicts.some((earlier) => earlier.by.id === by.id)) {
    return refusal(
      'not_allowed',
      `"${by.id}" has approved already: ${settings.quorum} different people must`,
      { key },
    );
  }
  return undefined;
}

function refusal(
  code: Refusal['code'],
  message: string,
  details: Record<string, Json> = {},
): Refusal {
  return { code, message, ...details };
}
