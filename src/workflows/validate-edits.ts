import { isCancellation } from '@temporalio/workflow';
import type { ValidateOutput } from '../core/activity-shapes.ts';
import { pendingOf } from '../core/approval.ts';
import { denyByMessage } from '../core/deny-by-message.ts';
import { type Judgement, judge } from '../core/judge-verdict.ts';
import type { Json } from '../core/json.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Memory, WaitingEdit } from './memory.ts';
import { circumstances } from './receive-verdict.ts';

export interface EditToValidate {
  readonly key: string;
  readonly tool: string;
  readonly input: Json;
}

/** What the validation of new arguments needs of the world; plain functions in tests. */
export interface EditEffects {
  readonly nowMs: () => number;
  /** @throws CancelledFailure when the turn is cancelled */
  readonly validate: (memory: Memory, edit: EditToValidate) => Promise<ValidateOutput>;
  /** Counts a verdict that nobody is answered about. */
  readonly onRefused: (refusal: Refusal) => void;
}

/**
 * Validates the edited arguments that wait longest, if any do: in order of arrival the first that
 * the tool's schema allows wins, the others are told why not. Runs in the main loop, never in a
 * handler; one at a time, so that a stream of them holds up nothing else.
 */
export async function validateNextEdit(memory: Memory, effects: EditEffects): Promise<void> {
  // It stays at the head while it is validated: what comes behind it must not overtake it.
  const [edit] = memory.edits;
  if (edit === undefined) return;
  try {
    finish(memory, edit, await fateOf(memory, edit, effects), effects);
  } catch (error) {
    const stopped = isCancellation(error);
    const refusal: Refusal = stopped
      ? {
          code: 'not_pending',
          message: 'the turn was stopped before the arguments were validated',
        }
      : {
          code: 'invalid_input',
          message: `the new arguments were not validated: ${wordsOf(error)}`,
        };
    finish(memory, edit, { refusal }, effects);
    if (stopped) throw error;
  }
}

/** Tells everyone whose edit still waits why it is not taken. */
export function refuseEdits(memory: Memory, refusal: Refusal): void {
  for (const edit of memory.edits) {
    finish(memory, edit, { refusal }, { nowMs: () => Date.now(), onRefused: () => {} });
  }
}

function finish(
  memory: Memory,
  edit: WaitingEdit,
  fate: NonNullable<WaitingEdit['fate']>,
  { nowMs, onRefused }: Pick<EditEffects, 'nowMs' | 'onRefused'>,
): void {
  memory.edits = memory.edits.filter((other) => other !== edit);
  edit.fate = fate;
  const { verdict, key, from } = edit;
  denyAfterEdits(memory, key);
  if ('answer' in fate) return;
  const { code, message } = fate.refusal;
  if (from === 'signal') onRefused(fate.refusal);
  memory.note('verdict_refused', `${verdict.by.id}: ${message}`, isoAt(nowMs()), {
    details: { code, key, from, decision: verdict.decision, by: verdict.by.id },
  });
}

/** A message that came behind edits: its turn is when none of them waits any more. */
function denyAfterEdits(memory: Memory, key: string): void {
  const message = memory.denials.get(key);
  if (message === undefined || memory.edits.some((edit) => edit.key === key)) return;
  memory.denials.delete(key);
  memory.update({ approvals: denyByMessage(memory.state.approvals, [key], message) });
}

async function fateOf(
  memory: Memory,
  { verdict, key }: WaitingEdit,
  effects: EditEffects,
): Promise<NonNullable<WaitingEdit['fate']>> {
  const now = () => circumstances(memory, isoAt(effects.nowMs()));
  const first = judge(memory.state.approvals, verdict, now());
  if (first.kind !== 'validate') return take(memory, first);
  const tool = pendingOf(memory.state.approvals, key)?.request.tool;
  if (tool === undefined) {
    return { refusal: { code: 'not_pending', message: `${key} does not wait` } };
  }
  const validated = await effects.validate(memory, { key, tool, input: first.input });
  if ('problems' in validated) {
    return {
      refusal: {
        code: 'invalid_input',
        message: `the new arguments do not fit ${tool}: ${validated.problems.join('; ')}`,
        problems: [...validated.problems],
        key,
      },
    };
  }
  const second = judge(memory.state.approvals, verdict, { ...now(), validated });
  if (second.kind === 'validate') throw new Error('validated arguments need no validation');
  return take(memory, second);
}

function take(
  memory: Memory,
  judgement: Exclude<Judgement, { kind: 'validate' }>,
): NonNullable<WaitingEdit['fate']> {
  switch (judgement.kind) {
    case 'refused':
      return { refusal: judgement.refusal };
    case 'repeated':
      return { answer: judgement.answer };
    case 'taken':
      memory.update({ approvals: judgement.book, rules: judgement.rules });
      return { answer: judgement.answer };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 500) : 'an unknown failure';
}

function isoAt(ms: number): string {
  return new Date(ms).toISOString();
}
