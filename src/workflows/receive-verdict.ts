import { isJsonObject } from '../core/json.ts';
import { type Circumstances, type Judgement, judge } from '../core/judge-verdict.ts';
import { parse } from '../core/parse.ts';
import type { Refusal } from '../core/refusal.ts';
import { utf8Bytes } from '../core/slices.ts';
import {
  type DecideAnswer,
  MAX_REASON_BYTES,
  type Verdict,
  verdictSchema,
} from '../core/verdict.ts';
import type { Memory, WaitingEdit } from './memory.ts';
import { isUndecodable, undecodableRefusal } from './payload-converter.ts';
import type { Received } from './receive-message.ts';
import { whyNoRoom } from './room.ts';

export type ReceivedVerdict = Received<DecideAnswer> | { readonly waiting: WaitingEdit };

/** Each is validated by an activity, one after another: more would wait for minutes. */
const MAX_WAITING_EDITS = 100;

/**
 * A signal's payload as a verdict: its name is the decision. One that says another decision itself
 * becomes none, for it says two things.
 */
export function withDecision(value: unknown, decision: Verdict['decision']): unknown {
  if (!isJsonObject(value) || isUndecodable(value)) return value;
  const { decision: said } = value;
  if (said === undefined || said === decision) return { ...value, decision };
  return { ...value, decision: `${JSON.stringify(said)?.slice(0, 50)} in signal ${decision}` };
}

/** Reads a verdict from a signal's or an update's payload. */
export function readVerdict(
  value: unknown,
): { readonly verdict: Verdict } | { readonly refusal: Refusal } {
  const undecodable = undecodableRefusal(value);
  if (undecodable !== undefined) return { refusal: undecodable };
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
  const bytes = reason === undefined ? 0 : utf8Bytes(JSON.stringify(reason));
  if (bytes > MAX_REASON_BYTES) {
    return {
      refusal: {
        code: 'too_large',
        message: `a reason may have ${MAX_REASON_BYTES} bytes, this one has ${bytes}`,
        size: bytes,
        limit: MAX_REASON_BYTES,
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
  return whyNotNow(memory, judgement);
}

/** Why a verdict that could count is not taken as things stand. */
function whyNotNow(memory: Memory, judgement: Judgement): Refusal | undefined {
  if (judgement.kind !== 'validate' && judgement.kind !== 'taken') return undefined;
  const key = judgement.kind === 'validate' ? judgement.key : judgement.answer.key;
  if (memory.overdue.has(key)) {
    return { code: 'not_pending', message: `the request ${key} has expired`, key };
  }
  const denial = memory.denials.get(key);
  if (denial !== undefined) {
    return { code: 'not_pending', message: `the user sent a message instead (${denial.id})`, key };
  }
  const waits = judgement.kind === 'validate' || memory.edits.some((edit) => edit.key === key);
  if (!waits || memory.edits.length < MAX_WAITING_EDITS) {
    return judgement.kind === 'validate' ? whyNoRoom(memory, judgement.input) : undefined;
  }
  return {
    code: 'inbox_full',
    message: `${MAX_WAITING_EDITS} verdicts wait for new arguments to be validated: send it later`,
    key,
  };
}

/**
 * Records a verdict. New arguments wait for their validation, and hold their place meanwhile: a
 * verdict about the same call that comes behind them waits too.
 */
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
  const notNow = whyNotNow(memory, judgement);
  if (notNow !== undefined) return { refusal: notNow };
  switch (judgement.kind) {
    case 'refused':
      return { refusal: judgement.refusal };
    case 'repeated':
      return { answer: judgement.answer };
    case 'validate':
      // The sender of an update tries again; the sender of a signal is gone, so it waits.
      if (memory.handingOver && from === 'update') return { refusal: HANDING_OVER };
      return { waiting: enqueue(memory, { verdict, from, key: judgement.key }) };
    case 'taken': {
      const { key } = judgement.answer;
      if (memory.edits.some((edit) => edit.key === key)) {
        return { waiting: enqueue(memory, { verdict, from, key }) };
      }
      memory.update({ approvals: judgement.book, rules: judgement.rules });
      // Nothing wakes up for it, but people see who approved.
      if (!judgement.decided) memory.refresh();
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
    rules: memory.state.rules,
    isKnownCall: (target) =>
      memory.state.batch?.plan.some((call) => call.key === target || call.callId === target) ===
        true || memory.headers.some((header) => header.key === target),
  };
}

function enqueue(memory: Memory, edit: WaitingEdit): WaitingEdit {
  memory.edits.push(edit);
  return edit;
}
