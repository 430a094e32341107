import { type ApprovalBook, type Decision, type PendingApproval, settle } from './approval.ts';
import type { RecordedVerdict } from './approval-request.ts';
import { findRequest } from './find-request.ts';
import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';
import type { Stored } from './stored.ts';
import type { DecideAnswer, Verdict } from './verdict.ts';
import type { Who } from './who.ts';

export type Judgement =
  /** Refused; the book is as it was. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The same verdict came before: the same answer. */
  | { readonly kind: 'repeated'; readonly answer: DecideAnswer }
  /** New arguments that the tool's schema must allow first. */
  | { readonly kind: 'validate'; readonly key: string; readonly input: Json }
  /** Counted: `decided` when it ended the request, else more people are needed. */
  | {
      readonly kind: 'taken';
      readonly book: ApprovalBook;
      readonly answer: DecideAnswer;
      readonly decided: boolean;
    };

export interface Circumstances {
  /** ISO 8601. */
  readonly at: string;
  /** Who started the conversation. */
  readonly starter?: Who | undefined;
  /** Keys of this conversation's calls that never waited for a person, as far as they are known. */
  readonly isKnownCall: (target: string) => boolean;
  /** The edited arguments of this very verdict, once they were validated. */
  readonly validated?: {
    readonly input: Stored<Json>;
    readonly digest: string;
    readonly summary: string;
  };
}

/**
 * What a verdict does (design §8): the first recorded, valid one wins. Pure: the same book, verdict
 * and circumstances give the same judgement.
 */
export function judge(
  book: ApprovalBook,
  verdict: Verdict,
  circumstances: Circumstances,
): Judgement {
  const target = findRequest(book, verdict, circumstances.isKnownCall);
  if ('refusal' in target) return { kind: 'refused', refusal: target.refusal };
  if ('answer' in target) return { kind: 'repeated', answer: target.answer };
  const { pending } = target;
  const { request, settings } = pending;

  const repeated = request.verdicts.find(
    (recorded) => verdict.verdictId !== undefined && recorded.verdictId === verdict.verdictId,
  );
  if (repeated !== undefined) {
    return {
      kind: 'repeated',
      answer: { decision: repeated.decision, key: request.key, by: repeated.by, at: repeated.at },
    };
  }
  if (verdict.digest !== undefined && verdict.digest !== request.digest) {
    return refused(
      'digest_mismatch',
      `the arguments of ${request.key} are not those that the verdict was given for: read the request again`,
      {
        key: request.key,
        expected: verdict.digest,
        actual: request.digest,
      },
    );
  }
  if (verdict.decision === 'deny') {
    if (verdict.input !== undefined || verdict.remember !== undefined) {
      return refused('invalid_verdict', 'a denial takes neither input nor remember');
    }
    return taken(book, pending, verdict, circumstances, true);
  }
  const forbidden = whyNotAllowed(verdict, pending, circumstances.starter);
  if (forbidden !== undefined) {
    return refused('not_allowed', forbidden, { key: request.key });
  }
  if (
    verdict.input !== undefined &&
    request.kind === 'call' &&
    circumstances.validated === undefined
  ) {
    return { kind: 'validate', key: request.key, input: verdict.input };
  }
  const earlier = verdict.input === undefined ? request.verdicts : [];
  return taken(book, pending, verdict, circumstances, earlier.length + 1 >= settings.quorum);
}

function whyNotAllowed(
  verdict: Verdict,
  { request, settings }: PendingApproval,
  starter: Who | undefined,
): string | undefined {
  if (settings.notBy === 'starter' && starter !== undefined && starter.id === verdict.by.id) {
    return `"${verdict.by.id}" started the conversation: another person must approve`;
  }
  if (request.verdicts.some((recorded) => recorded.by.id === verdict.by.id)) {
    return `"${verdict.by.id}" has approved already: ${settings.quorum} different people must`;
  }
  return undefined;
}

function taken(
  book: ApprovalBook,
  pending: PendingApproval,
  verdict: Verdict,
  { at, validated }: Circumstances,
  decided: boolean,
): Judgement {
  const { request } = pending;
  const recorded: RecordedVerdict = {
    decision: verdict.decision,
    by: verdict.by,
    at,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(verdict.verdictId === undefined ? {} : { verdictId: verdict.verdictId }),
  };
  const answer: DecideAnswer = { decision: verdict.decision, key: request.key, by: verdict.by, at };
  // New arguments are a new question: what others approved was another call.
  const verdicts = [...(validated === undefined ? request.verdicts : []), recorded];
  const asked: PendingApproval =
    validated === undefined
      ? { ...pending, request: { ...request, verdicts } }
      : ({
          ...pending,
          edited: {
            input: validated.input,
            digest: validated.digest,
            originalDigest: pending.edited?.originalDigest ?? request.digest,
            by: verdict.by,
          },
          request: {
            ...request,
            verdicts,
            input: validated.input,
            digest: validated.digest,
            summary: validated.summary,
          },
        } as PendingApproval);
  if (!decided) {
    const others = book.pending.map((other) => (other === pending ? asked : other));
    return { kind: 'taken', book: { ...book, pending: others }, answer, decided: false };
  }
  const edited = verdict.decision === 'approve' ? asked.edited : undefined;
  const decision: Decision = {
    key: request.key,
    ...(request.callId === undefined ? {} : { callId: request.callId }),
    decision: verdict.decision,
    by: verdict.by,
    at,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    verdicts,
    ...(edited === undefined ? {} : { edited }),
  };
  return { kind: 'taken', book: settle(book, decision), answer, decided: true };
}

function refused(
  code: Refusal['code'],
  message: string,
  details: Record<string, Json> = {},
): Judgement {
  return { kind: 'refused', refusal: { code, message, ...details } };
}
