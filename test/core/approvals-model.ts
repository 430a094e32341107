import type { Verdict } from '../../src/core/verdict.ts';

/** What a person, the time or a stop did to a request, told in the plainest words that say it. */
export interface ModelRequest {
  state: 'waiting' | 'approve' | 'deny' | 'expire' | 'cancel';
  readonly quorum: number;
  readonly notByStarter: boolean;
  readonly expiresAtMs: number | undefined;
  readonly deniedByMessage: boolean;
  /** Of the arguments that would run. */
  digest: string;
  isEdited: boolean;
  /** Everybody who approved the arguments as they are now. */
  approvers: string[];
  /** Every verdict that ever counted. */
  readonly counted: { readonly id: string | undefined; readonly says: string }[];
  lastBy: string | undefined;
}

export type Expected =
  | 'taken'
  | 'repeated'
  | 'already_decided'
  | 'not_pending'
  | 'digest_mismatch'
  | 'not_allowed'
  | 'invalid_input';

/** New arguments of a verdict: none, or the digest that they have, or that the schema refuses them. */
export type Edit = undefined | 'invalid' | { readonly digest: string };

export const STARTER = 'starter';

/** The rules of design §8 once more, without the code's data structures. Changes the request. */
export function expect(request: ModelRequest, verdict: Verdict, edit: Edit): Expected {
  const { decision, by, verdictId, digest } = verdict;
  const says = `${decision} ${by.id}`;
  if (request.counted.some(({ id, says: said }) => id === verdictId && id && said === says)) {
    return 'repeated';
  }
  if (request.state !== 'waiting') {
    return request.lastBy === undefined ? 'not_pending' : 'already_decided';
  }
  if (digest !== undefined && digest !== request.digest) return 'digest_mismatch';
  const isNew = typeof edit === 'object' && edit.digest !== request.digest;
  if (decision === 'approve') {
    if (request.isEdited && edit === undefined && digest === undefined) return 'digest_mismatch';
    if (request.notByStarter && by.id === STARTER) return 'not_allowed';
    if (edit === undefined && request.approvers.includes(by.id)) return 'not_allowed';
    if (edit === 'invalid') return 'invalid_input';
    if (!isNew && request.approvers.includes(by.id)) return 'not_allowed';
  }
  request.counted.push({ id: verdictId, says });
  request.lastBy = by.id;
  if (decision === 'deny') {
    request.state = 'deny';
    return 'taken';
  }
  if (isNew) {
    request.digest = edit.digest;
    request.isEdited = true;
    request.approvers = [];
  }
  request.approvers.push(by.id);
  if (request.approvers.length >= request.quorum) request.state = 'approve';
  return 'taken';
}

/** Nobody decided: whoever approved before did not decide either. */
export function endWithoutPerson(request: ModelRequest, state: 'deny' | 'expire' | 'cancel'): void {
  if (request.state !== 'waiting') return;
  request.state = state;
  request.lastBy = undefined;
}
