import {
  type ApprovalBook,
  changePending,
  type Decision,
  type PendingApproval,
  settle,
} from './approval.ts';
import type { RecordedVerdict } from './approval-request.ts';
import { findRequest, sameVerdict } from './find-request.ts';
import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';
import { type RememberedRule, ruleOf, withRule } from './remember-rules.ts';
import type { Stored } from './stored.ts';
import type { DecideAnswer, Verdict } from './verdict.ts';
import type { Who } from './who.ts';
import { whyNotTaken } from './why-not-taken.ts';

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
      readonly rules: readonly RememberedRule[];
      readonly answer: DecideAnswer;
      readonly decided: boolean;
    };

export interface Circumstances {
  /** ISO 8601. */
  readonly at: string;
  /** Who started the conversation. */
  readonly starter?: Who | undefined;
  /** What people asked to be remembered before. */
  readonly rules: readonly RememberedRule[];
  /** Keys of this conversation's calls that never waited for a person, as far as they are known. */
  readonly isKnownCall: (target: string) => boolean;
  /** The edited arguments of this very verdict, once they were validated. */
  readonly validated?: ValidatedEdit;
}

export interface ValidatedEdit {
  readonly input: Stored<Json>;
  readonly digest: string;
  readonly summary: string;
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
  const { request, superseded } = pending;
  const same = sameVerdict([...request.verdicts, ...(superseded ?? [])], verdict);
  if (same !== undefined) {
    const { decision, by, at } = same;
    return { kind: 'repeated', answer: { decision, key: request.key, by, at } };
  }
  const { starter, validated } = circumstances;
  const refusal = whyNotTaken(verdict, pending, { starter, validatedDigest: validated?.digest });
  if (refusal !== undefined) return { kind: 'refused', refusal };
  if (verdict.input !== undefined && validated === undefined) {
    return { kind: 'validate', key: request.key, input: verdict.input };
  }
  return taken(book, verdict, pending, circumstances);
}

function taken(
  book: ApprovalBook,
  verdict: Verdict,
  before: PendingApproval,
  { at, rules, validated }: Circumstances,
): Judgement {
  const { decision, by, reason, verdictId } = verdict;
  const pending = counted(
    // Arguments that a form sent back as they were are no change.
    validated === undefined || validated.digest === before.request.digest
      ? before
      : withEdit(before, validated, by),
    {
      decision,
      by,
      at,
      ...(reason === undefined ? {} : { reason }),
      ...(verdictId === undefined ? {} : { verdictId }),
    },
  );
  const { request, settings, superseded, edited } = pending;
  const answer: DecideAnswer = { decision, key: request.key, by, at };
  const stillNeeded = decision === 'deny' ? 0 : settings.quorum - request.verdicts.length;
  if (stillNeeded > 0) {
    return {
      kind: 'taken',
      book: changePending(book, request.key, () => pending),
      rules,
      answer: { ...answer, stillNeeded },
      decided: false,
    };
  }
  const rule = ruleFor(verdict, pending, rules.length, at);
  if (rule !== undefined && 'problem' in rule) {
    const message = `nothing can be remembered: ${rule.problem}`;
    return { kind: 'refused', refusal: { code: 'invalid_verdict', message, key: request.key } };
  }
  const decided: Decision = {
    key: request.key,
    ...(request.callId === undefined ? {} : { callId: request.callId }),
    decision,
    by,
    at,
    ...(reason === undefined ? {} : { reason }),
    verdicts: request.verdicts,
    ...(superseded === undefined ? {} : { superseded }),
    ...(edited === undefined || decision === 'deny' ? {} : { edited }),
  };
  return {
    kind: 'taken',
    book: settle(book, decided),
    rules: rule === undefined ? rules : withRule(rules, rule),
    answer,
    decided: true,
  };
}

function counted(pending: PendingApproval, verdict: RecordedVerdict): PendingApproval {
  const { request } = pending;
  return { ...pending, request: { ...request, verdicts: [...request.verdicts, verdict] } };
}

/** New arguments are a new question: what others approved was another call. */
function withEdit(
  pending: PendingApproval,
  { input, digest, summary }: ValidatedEdit,
  by: Who,
): PendingApproval {
  const { request, edited } = pending;
  const superseded = [...(pending.superseded ?? []), ...request.verdicts];
  return {
    ...pending,
    ...(superseded.length === 0 ? {} : { superseded }),
    edited: { input, digest, originalDigest: edited?.originalDigest ?? request.digest, by },
    request: { ...request, input, digest, summary, verdicts: [] },
  };
}

function ruleFor(
  { remember, by }: Verdict,
  { request }: PendingApproval,
  known: number,
  at: string,
): ReturnType<typeof ruleOf> | undefined {
  if (remember === undefined) return undefined;
  const id = `rule-${known + 1}-${request.key.slice(request.key.lastIndexOf('/') + 1)}`;
  return ruleOf(remember, request, { id, by, at });
}
