import type { ApprovalBook, Decision, PendingApproval } from './approval.ts';
import type { RecordedVerdict } from './approval-request.ts';
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

/** The record of the very same verdict: sent again by its sender, who got no answer. */
export function sameVerdict(
  recorded: readonly RecordedVerdict[],
  { verdictId, decision, by }: Verdict,
): RecordedVerdict | undefined {
  if (verdictId === undefined) return undefined;
  return recorded.find(
    (earlier) =>
      earlier.verdictId === verdictId && earlier.decision === decision && earlier.by.id === by.id,
  );
}

function afterwards(decision: Decision, verdict: Verdict): FoundRequest {
  const same = sameVerdict([...decision.verdicts, ...(decision.superseded ?? [])], verdict);
  if (same !== undefined) {
    return { answer: { decision: same.decision, key: decision.key, by: same.by, at: same.at } };
  }
  const { by, key, at } = decision;
  if (by === undefined) {
    const message = `the request ${endedWords(decision)} at ${at}`;
    return { refusal: { code: 'not_pending', message, key, at } };
  }
  const words = decision.decision === 'approve' ? 'approved' : 'denied';
  return {
    refusal: {
      code: 'already_decided',
      message: `"${by.id}" ${words} it at ${at}`,
      key,
      decision: decision.decision,
      by: whoJson(by),
      at,
    },
  };
}

function endedWords({ decision }: Decision): string {
  switch (decision) {
    case 'expire':
      return 'expired';
    case 'deny':
      return "was denied by the user's message";
    case 'approve':
    case 'cancel':
      return 'was cancelled';
  }
}

function whoJson(who: Who): Json {
  return JSON.parse(JSON.stringify(who)) as Json;
}
