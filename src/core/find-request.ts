import type { ApprovalBook, Decision, PendingApproval } from './approval.ts';
import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';
import type { DecideAnswer, Verdict } from './verdict.ts';
import type { Who } from './who.ts';

/** The request that a verdict is for, the answer it had before, or why there is none. */
export type FoundRequest =
  | { readonly pending: PendingApproval }
  | { readonly answer: DecideAnswer }
  | { readonly refusal: Refusal };

export function findRequest(
  book: ApprovalBook,
  verdict: Verdict,
  isKnownCall: (target: string) => boolean,
): FoundRequest {
  const matches = (entry: { readonly key: string; readonly callId?: string }) =>
    verdict.key === undefined ? entry.callId === verdict.callId : entry.key === verdict.key;
  const fitting = book.pending.filter(({ request }) => matches(request));
  const [pending] = fitting;
  const name = verdict.key ?? verdict.callId ?? '';
  if (pending !== undefined && fitting.length === 1) {
    if (
      verdict.key !== undefined &&
      verdict.callId !== undefined &&
      pending.request.callId !== verdict.callId
    ) {
      return {
        refusal: {
          code: 'unknown_call',
          message: `the call ${verdict.key} has another callId: send one of the two`,
        },
      };
    }
    return { pending };
  }
  if (fitting.length > 1) {
    return {
      refusal: {
        code: 'unknown_call',
        message: `several calls that wait have the callId "${name}": send the key of one`,
        keys: fitting.map(({ request }) => request.key),
      },
    };
  }
  const decision = book.decided.findLast((decided) => matches(decided));
  if (decision !== undefined) return afterwards(decision, verdict);
  if (isKnownCall(name)) {
    return {
      refusal: { code: 'not_pending', message: `the call "${name}" does not wait for a person` },
    };
  }
  return {
    refusal: {
      code: 'unknown_call',
      message: `no call "${name}" waits here: see the approvals of this conversation`,
      keys: book.pending.slice(0, 20).map(({ request }) => request.key),
    },
  };
}

function afterwards(decision: Decision, verdict: Verdict): FoundRequest {
  const same = decision.verdicts.find(
    (recorded) => verdict.verdictId !== undefined && recorded.verdictId === verdict.verdictId,
  );
  if (same !== undefined) {
    return { answer: { decision: same.decision, key: decision.key, by: same.by, at: same.at } };
  }
  if (decision.by === undefined) {
    const how = decision.decision === 'expire' ? 'expired' : 'was cancelled';
    return {
      refusal: {
        code: 'not_pending',
        message: `the request ${how} at ${decision.at}`,
        key: decision.key,
        at: decision.at,
      },
    };
  }
  const words = decision.decision === 'approve' ? 'approved' : 'denied';
  return {
    refusal: {
      code: 'already_decided',
      message: `"${decision.by.id}" ${words} it at ${decision.at}`,
      key: decision.key,
      decision: decision.decision,
      by: whoJson(decision.by),
      at: decision.at,
    },
  };
}

function whoJson(who: Who): Json {
  return JSON.parse(JSON.stringify(who)) as Json;
}
