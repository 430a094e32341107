import type { Circumstances } from '../core/judge-verdict.ts';
import { judge } from '../core/judge-verdict.ts';
import { parse } from '../core/parse.ts';
import type { Refusal } from '../core/refusal.ts';
import { MAX_RULES, ruleOf } from '../core/remember-rules.ts';
import { utf8Bytes } from '../core/slices.ts';
import { INLINE_LIMIT_BYTES } from '../core/stored.ts';
import { type DecideAnswer, type Verdict, verdictSchema } from '../core/verdict.ts';
import type { Memory, WaitingEdit } from './memory.ts';
import { isUndecodable } from './payload-converter.ts';
import type { Received } from './receive-message.ts';

export type ReceivedVerdict = Received<DecideAnswer> | { readonly waiting: WaitingEdit };

/** Reads a verdict from a signal's or an update's payload. */
export function readVerdict(
  value: unknown,
): { readonly verdict: Verdict } | { readonly refusal: Refusal } {
  if (isUndecodable(value)) {
    return {
      refusal: {
        code: 'undecodable',
        message: `the payload could not be read: ${value.undecodable.problem}`,
      },
    };
  }
  const parsed = parse(verdictSchema, value);
  if ('problems' in parsed) {
    return {
      refusal: {
        code: 'invalid_verdict',
        message: `this is no verdict: ${parsed.problems.join('; ')}`,
        problems: [...parsed.problems],
      },
    };
  }
  const { reason } = parsed.value;
  if (reason !== undefined && utf8Bytes(reason) > INLINE_LIMIT_BYTES) {
    return {
      refusal: {
        code: 'too_large',
        message: `a reason may have ${INLINE_LIMIT_BYTES} bytes, this one has ${utf8Bytes(reason)}`,
      },
    };
  }
  return { verdict: parsed.value };
}

/** Whether a verdict would be refused now; what update `decide` refuses so leaves no event. */
export function judgeVerdict(memory: Memory, value: unknown, at: string): Refusal | undefined {
  const read = readVerdict(value);
  if ('refusal' in read) return read.refusal;
  const judgement = judge(memory.state.approvals, read.verdict, circumstances(memory, at));
  if (judgement.kind === 'refused') return judgement.refusal;
  if (judgement.kind === 'validate' && memory.handingOver) return HANDING_OVER;
  return undefined;
}

/** Records a verdict. New arguments wait for their validation, and hold their place meanwhile. */
export function receiveVerdict(
  memory: Memory,
  value: unknown,
  from: 'signal' | 'update',
  at: string,
): ReceivedVerdict {
  const read = readVerdict(value);
  if ('refusal' in read) return read;
  const { verdict } = read;
  const judgement = judge(memory.state.approvals, verdict, circumstances(memory, at));
  switch (judgement.kind) {
    case 'refused':
      return { refusal: judgement.refusal };
    case 'repeated':
      return { answer: judgement.answer };
    case 'validate':
      if (memory.handingOver) return { refusal: HANDING_OVER };
      return { waiting: enqueueEdit(memory, { verdict, from, key: judgement.key }) };
    case 'taken': {
      const { key } = judgement.answer;
      if (memory.edits.some((edit) => edit.key === key && edit.fate === undefined)) {
        return { waiting: enqueueEdit(memory, { verdict, from, key }) };
      }
      const problem = judgement.decided ? remember(memory, verdict, key, at) : undefined;
      if (problem !== undefined) return { refusal: { code: 'invalid_verdict', message: problem } };
      memory.update({ approvals: judgement.book });
      return { answer: judgement.answer };
    }
  }
}

export const HANDING_OVER: Refusal = {
  code: 'handing_over',
  message: 'the conversation is moving to a new run: send it again in a second',
};

export function circumstances(memory: Memory, at: string): Circumstances {
  return {
    at,
    starter: memory.state.by,
    isKnownCall: (target) =>
      memory.state.batch?.plan.some((call) => call.key === target || call.callId === target) ===
        true || memory.headers.some((header) => header.key === target),
  };
}

/** Keeps the rule that an approval asks for; the text of a problem when there can be none. */
export function remember(
  memory: Memory,
  verdict: Verdict,
  key: string,
  at: string,
): string | undefined {
  if (verdict.decision !== 'approve' || verdict.remember === undefined) return undefined;
  const pending = memory.state.approvals.pending.find(({ request }) => request.key === key);
  if (pending === undefined) return undefined;
  const id = `rule-${memory.state.rules.length + 1}-${key.slice(key.lastIndexOf('/') + 1)}`;
  const rule = ruleOf(verdict.remember, pending.request, { id, by: verdict.by, at });
  if ('problem' in rule) return rule.problem;
  memory.update({ rules: [...memory.state.rules, rule].slice(-MAX_RULES) });
  return undefined;
}

function enqueueEdit(memory: Memory, edit: WaitingEdit): WaitingEdit {
  memory.edits.push(edit);
  return edit;
}
